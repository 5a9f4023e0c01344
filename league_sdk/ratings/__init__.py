"""Rating models: strengths of players with their errors; one file a model.

Imports numpy and scipy, which the extra `analysis` brings.
"""
