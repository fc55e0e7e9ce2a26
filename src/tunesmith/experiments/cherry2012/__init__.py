"""The tables and Figure 1 of Cherry and Foster (2012): tuners × feature sets."""
