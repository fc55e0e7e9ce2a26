"""The command line: one file per verb. Parse, call the library, print. Only this package prints or exits."""
