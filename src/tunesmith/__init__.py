"""TuneSMiTh: train, tune, decode and rerank log-linear translation models with millions of features.

The subpackages follow the data: `corpus`, `alignment`, `lm`, `grammar`, `features`, `search`, `decoding`,
`metrics`, `tuning`, `evaluation`. Import names from the subpackage that defines them. This module holds only the
error types and the version, so that `import tunesmith` is fast.
"""

from tunesmith.errors import ConfigError, FormatError, TunesmithError

__version__ = "0.2.0"
__all__ = ["ConfigError", "FormatError", "TunesmithError", "__version__"]
