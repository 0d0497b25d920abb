"""Source formats: one module each, all of the same shape (see base)."""
