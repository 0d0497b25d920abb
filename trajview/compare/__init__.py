"""Two runs side by side: which units, messages, lines and words of one correspond to which of the other."""
