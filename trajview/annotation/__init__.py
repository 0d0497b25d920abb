"""Rubrics, the store of annotations and its journal. Knows ids and models, nothing else."""
