"""The type of JSON values."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list or dict with string keys."""
