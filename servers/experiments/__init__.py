"""Experiments: thousands of matches of strategies, without agents and wire."""
