"""Strategies, one file each."""
