"""Regular expressions: a check whether they can take for ever, and a quick search for their matches."""
