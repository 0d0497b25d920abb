"""Regular expressions: a check whether they can take for ever, a limit on their time, and a quick search for their matches."""
