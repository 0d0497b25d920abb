"""The Textual app: screens and widgets. The only part that imports Textual."""
