"""`python -m tunesmith` is the command `tunesmith`."""

from tunesmith.cli.entry import run

if __name__ == "__main__":
    run()
