"""The parts of make_samples.py, one module for each source of sample data."""
