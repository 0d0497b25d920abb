"""The list of runs: its table, filter, queue and what it says."""
