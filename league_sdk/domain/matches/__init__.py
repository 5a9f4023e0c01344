"""One match, and the causes by which it is lost."""
