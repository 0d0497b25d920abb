"""What several rooms of the viewer use."""
