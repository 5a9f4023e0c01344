"""A league's live web page: public, read-only."""
