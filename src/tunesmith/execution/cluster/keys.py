"""Keys of a cluster: a certificate that scheduler, workers and driver share, in a folder that only we can read."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.execution.cluster.errors import needs_dask

CERTIFICATE, KEY = "certificate.pem", "key.pem"


def make_keys(folder: Path) -> None:
    """Write a new key and its certificate; the folder is made for us alone."""
    try:
        from distributed.security import Security

        made = Security.temporary()
    except ImportError:
        raise needs_dask() from None
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    for name, text in ((CERTIFICATE, made.tls_ca_file), (KEY, made.tls_scheduler_key)):
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as out:
            out.write(text)


def has_keys(folder: Path) -> bool:
    return (folder / KEY).exists()


def security_of(folder: Path) -> Any:
    """Return what Dask encrypts with; ConfigError where others can read the key, or there is none."""
    try:
        from distributed.security import Security
    except ImportError:
        raise needs_dask() from None
    for name in (CERTIFICATE, KEY):
        if not (folder / name).is_file():
            raise ConfigError(f"{folder}: has no {name}; a cluster that tunesmith cluster start made has one")
    if (folder / KEY).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(f"{folder / KEY}: can be read by others; chmod 600 it, or make a new cluster")
    certificate, key = str(folder / CERTIFICATE), str(folder / KEY)
    return Security(
        tls_ca_file=certificate, require_encryption=True,
        tls_scheduler_cert=certificate, tls_scheduler_key=key,
        tls_worker_cert=certificate, tls_worker_key=key,
        tls_client_cert=certificate, tls_client_key=key,
    )  # fmt: skip


def worker_options(folder: Path) -> list[str]:
    """Return options of `dask worker` for these keys."""
    certificate, key = str(folder / CERTIFICATE), str(folder / KEY)
    return ["--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key]
