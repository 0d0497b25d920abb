"""Search across the runs of a corpus."""
