"""Rubrics, the store of annotations, and its journal."""
