"""The referee: many matches at once, each isolated from the others."""
