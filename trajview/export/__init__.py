"""Runs as files for other programs and people: each module writes a run in one format and says what that cannot hold."""
