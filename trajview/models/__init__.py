"""The reading model (messages, transcripts, runs) and the source systems' own models."""
