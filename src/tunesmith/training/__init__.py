"""Training of model directories from parallel text, in steps that resume."""
