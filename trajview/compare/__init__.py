"""Comparison of two runs: which units, messages, lines and words of one correspond to which of the other."""
