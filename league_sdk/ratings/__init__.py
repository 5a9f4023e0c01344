"""Rating models: strengths of players with their errors; one file a model.

All but `sprt` import numpy and scipy, which the extra `analysis` brings.
"""
