"""All marks in the runs that are open."""
