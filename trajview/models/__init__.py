"""The reading model (messages, transcripts, runs) and pydantic models of the source systems."""
