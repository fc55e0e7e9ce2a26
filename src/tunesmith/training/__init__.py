"""From parallel text to a model directory: align, language model, rules, features, in steps that resume."""
