"""The referee: one match after another, many at once, each isolated from the others."""
