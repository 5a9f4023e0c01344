"""Metrics, health, tracing and version of an agent."""
