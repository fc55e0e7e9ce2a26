"""One tuning repeated: `tune --stability`, `--seeds`, `--sweep`."""
