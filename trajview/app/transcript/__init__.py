"""One run: its messages by action unit, outline, search, highlights and ways out."""
