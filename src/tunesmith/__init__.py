"""TuneSMiTh: train, tune, decode and rerank log-linear translation models with millions of features.

The package is laid out as the data flows: `corpus`, `metrics`, `evaluation`; import what you need from
there. Only errors and the version live here, so that `import tunesmith` stays cheap.
"""

from tunesmith.errors import ConfigError, FormatError, TunesmithError

__version__ = "0.2.0"
__all__ = ["ConfigError", "FormatError", "TunesmithError", "__version__"]
