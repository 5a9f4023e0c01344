"""Settings of leagues for a class, where no other setting says otherwise."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from league_sdk.settings import ConfigLoader
from league_sdk.settings.system import SystemConfig

CLASS_DEFAULTS: Mapping[str, float] = MappingProxyType({"timeouts.move_timeout_sec": 5, "retry_policy.max_retries": 1})
"""A silent student costs a match 14 s in place of 138; the time is long for a program, and a laptop that pauses has a
second try."""


def with_class_defaults(config: Path | None, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides of a run for a class: quick limits under what is given.

    A value of the files counts as given where it is not the setting's own default.
    """
    loader = ConfigLoader(config, overrides=overrides)
    system, usual = loader.load_system(), SystemConfig()
    quick = {
        path: value
        for path, value in CLASS_DEFAULTS.items()
        if not loader.chosen_above_files(path, "system") and _of(system, path) == _of(usual, path)
    }
    return {**quick, **overrides}


def _of(system: SystemConfig, path: str) -> Any:
    section, _, name = path.partition(".")
    return getattr(getattr(system, section), name)
