"""The table of results as Parquet, where pyarrow is installed."""

from importlib import import_module
from pathlib import Path
from typing import Any

from servers.experiments.results import ResultsFolder


def write_parquet(folder: ResultsFolder) -> Path | None:
    """Write `matches.parquet` in constant memory; None without pyarrow."""
    try:
        arrow: Any = import_module("pyarrow")
        reader: Any = import_module("pyarrow.csv")
        parquet: Any = import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        return None
    target = folder.table.with_suffix(".parquet")
    part = target.with_name(f".{target.name}.tmp")
    texts = ("id", "first", "second", "winner", "first_fault", "second_fault")
    types = {**dict.fromkeys(texts, arrow.string()), "first_score": arrow.float64(), "second_score": arrow.float64()}
    options = reader.ConvertOptions(column_types=types)
    with (
        reader.open_csv(folder.table, convert_options=options) as rows,
        parquet.ParquetWriter(part, rows.schema) as out,
    ):
        for batch in rows:
            out.write_batch(batch)
    part.replace(target)
    return target
