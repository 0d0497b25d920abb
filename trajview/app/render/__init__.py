"""From a message to lines on a screen, without Textual: blocks, lines with spans, rows of a width."""
