"""Events as JSON, and the version of their format."""
