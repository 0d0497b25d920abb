"""Regular expressions: whether they can take for ever, and finding what they match quickly."""
