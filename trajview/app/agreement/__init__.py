"""How far annotators agree, where they do not, and settling it."""
