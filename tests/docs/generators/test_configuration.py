"""docs/configuration.md says what the code does."""

import pytest

from docs.generators import configuration
from docs.generators.configuration import FILES, TARGET, render
from league_sdk.settings import OTHER_VARIABLES, ConfigError, ConfigLoader, variables
from league_sdk.settings.base import Section, section_of
from tests.requirements.marker import requirement


def sections(model: type[Section]) -> list[type[Section]]:
    inner = [found[0] for field in model.model_fields.values() if (found := section_of(field.annotation))]
    return [model, *(deeper for section in inner for deeper in sections(section))]


def test_the_page_is_what_the_models_say():
    assert TARGET.read_text(encoding="utf-8") == render(), "run: make docs"


@requirement("project-QUAL-08")
@pytest.mark.parametrize("model", [model for _, model, _ in FILES], ids=lambda model: model.__name__)
def test_every_field_is_described(model):
    silent = [
        f"{section.__name__}.{name}"
        for section in sections(model)
        for name, field in section.model_fields.items()
        if not field.description
    ]
    assert silent == []


@requirement("project-QUAL-08")
def test_every_variable_is_on_the_page():
    page = TARGET.read_text(encoding="utf-8")
    missing = [name for name in [*OTHER_VARIABLES, *dict(variables())] if f"| `{name}` |" not in page]
    assert missing == []


def test_every_file_that_is_shipped_is_on_the_page():
    shipped = {str(path.relative_to(configuration.ROOT)) for path in (TARGET.parents[1] / "config").rglob("*.json")}
    named = {f"config/{name}" for name, _, _ in FILES}
    assert {name for name in shipped if not name.startswith("config/leagues/")} == named - {
        "config/leagues/LEAGUE.json"
    }


def test_the_message_on_the_page_is_the_real_one(tmp_path):
    loader = ConfigLoader(None, {"LEAGUE_TIMEOUTS__MOVE_TIMEOUT_SEC": "soon"}, cwd=tmp_path)
    with pytest.raises(ConfigError) as caught:
        loader.validate()
    assert str(caught.value) in render()
