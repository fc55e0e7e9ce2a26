"""Where work runs: child processes and temporary folders that end with us."""
