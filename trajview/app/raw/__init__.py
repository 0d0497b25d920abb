"""The record of a run as it stands in its file."""
