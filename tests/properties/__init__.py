"""Random calls of NumPy functions with documented arguments, by family."""
