"""An experiment written in one TOML file: data, training, tuning, translation, evaluation, comparison."""
