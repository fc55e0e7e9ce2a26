"""Tables 1 to 4 of Watanabe et al. (2007): online MIRA with millions of structural features."""
