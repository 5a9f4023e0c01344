"""Every rule that a setting has to keep stands in the message for a value that breaks it."""

import json
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

import annotated_types
import pytest
from pydantic import AfterValidator, BeforeValidator
from pydantic.fields import FieldInfo

from league_sdk.settings import (
    AgentsConfig,
    ConfigError,
    GamesRegistry,
    LeagueConfig,
    PlayerDefaults,
    RefereeDefaults,
    SystemConfig,
)
from league_sdk.settings.base import Section, section_of
from league_sdk.settings.reading import canonical, validate
from tests.requirements.marker import requirement

DOCUMENTS = (SystemConfig, AgentsConfig, LeagueConfig, GamesRegistry, RefereeDefaults, PlayerDefaults)

Path = tuple[str | int, ...]
Wrong = tuple[Any, tuple[str, ...]]
"""A value that breaks a rule, and what the message has to say."""

RULES: dict[str, tuple[Wrong, ...]] = {
    "_league_id": (
        ("a b", ("1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or a digit",)),
    ),
    "_endpoint": (("ftp://x", ("an http or https address",)),),
    "_schema": (("2.0.0", ("a schema version 1.x.x",)),),
    "_range": (([9, 8], ("two ports, the lower one first",)),),
    "_store_url": (("here", ("a database URL, such as sqlite:///",)),),
    "_web_url": (("ftp://hooks.example", ("a URL with http or https and a host",)),),
    "_network": (("nowhere", ("an address, or a network such as 10.1.0.0/16",)),),
    "_allow": (("a b", ("a host, *.domain, an address, a network such as 10.1.0.0/16, or public",)),),
    "_format_name": (("Best Of", ("a format's name, such as round_robin",)),),
    "_game_type": (("Tic Tac", ("lower-case letters, digits and underscores",)),),
    "_tiebreakers": ((["luck"], ("names of tie-breaks", "unknown tie-breaker 'luck'")),),
    "utc_moment": (
        ("tomorrow", ("a moment in UTC, such as 2025-12-31T00:00:00Z",)),
        ("2025-12-31T00:00:00+02:00", ("a moment in UTC",)),
    ),
    "_model_name": (("gpt", ("a provider and a model, such as",)),),
}
"""For each validator of ours a value that it refuses, and its rule in words."""

TOGETHER: dict[str, tuple[tuple[dict[str, Any], str], ...]] = {
    "LeagueConfig._one_format": (
        (
            {"league_id": "a", "game_type": "b", "format": "swiss", "schedule": {"algorithm": "knockout"}},
            "a format and a schedule.algorithm that are the same",
        ),
        (
            {"league_id": "a", "game_type": "b", "format": "c", "schedule": {"stages": [{"format": "knockout"}]}},
            "either schedule.stages or one format, with its options",
        ),
    ),
    "NetworkConfig._apart": (
        ({"referee_port_range": [8100, 8200]}, "port ranges of referees and players that do not overlap"),
        ({"league_manager_port": 8001}, "a league_manager_port outside the port ranges"),
    ),
    "RetryPolicyConfig._ordered": (({"backoff_base_sec": 40}, "a backoff_max_sec that is not below backoff_base"),),
    "SecurityConfig._paired": (({"tls_cert": "x"}, "both tls_cert and tls_key, or neither"),),
    "SecurityConfig._one_secret_a_role": (
        ({"join_secret": "x" * 8, "referee_secret": "x" * 8}, "a referee_secret that is not the join_secret"),
    ),
    "LanguageModelSettings._fits": (
        ({"input_price": 1}, "both input_price and output_price, or neither"),
        ({"base_url": "http://x/v1"}, "a model as well, where there is a base_url"),
    ),
    "ScheduleConfig._without_delay": (
        ({"rounds": "overlapping", "match_delay_sec": 1}, "no match_delay_sec where rounds overlap"),
    ),
    "ParticipantsConfig._ordered": (
        ({"min_players": 5, "max_players": 4}, "a max_players that is not below min_players"),
        ({"max_players": 4, "expected_players": 5}, "an expected_players between min_players and max_players"),
        ({"max_referees": 1, "expected_referees": 2}, "an expected_referees that is not above max_referees"),
    ),
    "GameConfig._ordered": (
        (
            {"game_type": "g", "rules_module": "m", "min_players": 3, "max_players": 2},
            "a max_players that is not below min_players",
        ),
    ),
    "GamesRegistry._unique": (
        (
            {"games": [{"game_type": "g", "rules_module": "m"}, {"game_type": "g", "rules_module": "n"}]},
            "one entry a game, but g stands there more than once",
        ),
    ),
    "AgentsConfig._unique": (
        (
            {
                "players": [
                    {"player_id": "P01", "endpoint": "http://a/mcp"},
                    {"player_id": "P01", "endpoint": "http://b/mcp"},
                ]
            },
            "an id of its own for every agent, but P01 stands there more than once",
        ),
    ),
}
"""For each rule about several fields, fields that break it, and the rule in words."""


def models(model: type[Section], path: Path = ()) -> Iterator[tuple[type[Section], Path]]:
    yield model, path
    for name, info in model.model_fields.items():
        if inner := section_of(info.annotation):
            yield from models(inner[0], (*path, name, 0) if inner[1] else (*path, name))


def marks(annotation: Any, metadata: tuple[Any, ...] = ()) -> Iterator[tuple[Any, bool]]:
    """Every constraint in a type with whether it is about an entry of a list; the type itself, too."""
    for mark in metadata:
        for one in getattr(mark, "metadata", None) or [mark]:
            yield one, False
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *own = get_args(annotation)
        yield from marks(inner, tuple(own))
    elif origin is tuple:
        for entry in get_args(annotation):
            yield from ((mark, True) for mark, _ in marks(entry))
    elif origin is Literal:
        yield annotation, False
    else:
        for arm in get_args(annotation):
            yield from marks(arm)


def broken(mark: Any, info: FieldInfo) -> tuple[Wrong, ...]:
    """Values that break a constraint, with its rule."""
    whole = "int" in str(info.annotation)

    def number(bound: Any, beyond: int = 0) -> Any:
        return int(bound + beyond) if whole else float(bound + beyond)

    match mark:
        case annotated_types.Gt(gt=bound):
            return ((number(bound), (f"a number above {bound:g}",)),)
        case annotated_types.Ge(ge=bound):
            return ((number(bound, -1), (f"a number of {bound:g} or more",)),)
        case annotated_types.Le(le=bound):
            return ((number(bound, 1), (f"a number of {bound:g} or less",)),)
        case annotated_types.MinLen(min_length=1):
            return (([] if "tuple" in str(info.annotation) else "", ("that is not empty",)),)
        case annotated_types.MinLen(min_length=least):
            return (("x" * (least - 1), (f"a text of at least {least} characters",)),)
        case annotated_types.MaxLen(max_length=most):
            return (("x" * (most + 1), (f"a text of at most {most} characters",)),)
        case AfterValidator(func=func):
            return RULES[getattr(func, "__name__", "")]
        case _ if get_origin(mark) is Literal:
            return (("no such thing", tuple(repr(value) for value in get_args(mark))),)
        case _:
            return ()


def constraints() -> Iterator[Any]:
    for document in DOCUMENTS:
        for model, path in models(document):
            for name, info in model.model_fields.items():
                if section_of(info.annotation):
                    continue
                for mark, of_entry in marks(info.annotation, tuple(info.metadata)):
                    for wrong, words in broken(mark, info):
                        value = [wrong, wrong] if of_entry else wrong
                        label = f"{document.__name__}-{'.'.join(str(step) for step in (*path, name))}-{words[0][:30]}"
                        yield pytest.param(document, (*path, name), value, words, id=label)


def messages(document: type[Section], path: Path, value: Any) -> list[str]:
    for step in reversed(path):
        value = [value] if step == 0 else {step: value}
    try:
        validate(document, [canonical(document, json.loads(json.dumps(value)), "here")])
    except ConfigError as error:
        return [str(problem) for problem in error.problems]
    return []


@requirement("project-CFG-04")
@pytest.mark.parametrize(("document", "path", "value", "words"), list(constraints()))
def test_the_message_for_a_wrong_value_says_the_rule(
    document: type[Section], path: Path, value: Any, words: tuple[str, ...]
):
    name = str(path[-1])
    about = [text for text in messages(document, path, value) if name in text]
    assert any(all(word in text for word in words) for text in about), about


WRONG_KINDS: tuple[tuple[Any, str], ...] = (
    ({"an": "object"}, "object"),
    ([[]], "list"),
    ("a text", "text"),
    (2.5, "number"),
    (True, "bool"),
)
PHRASES = ("a number", "a whole number", "true or false", "a text in quotes", "a list", "an object with fields")


def test_a_value_of_the_wrong_kind_is_told_the_kind_in_words_of_ours():
    """None of them may come in the words of the library that checks them."""
    said: set[str] = set()
    for document in DOCUMENTS:
        for model, path in models(document):
            for name in model.model_fields:
                for value, _ in WRONG_KINDS:
                    said.update(messages(document, (*path, name), value))
    foreign = [text for text in said if "valid" in text or "Input" in text or "unable" in text]
    assert not foreign
    assert all(any(phrase in text for text in said) for phrase in PHRASES)


def validators() -> Iterator[tuple[str, type[Section], Path, Callable[..., Any]]]:
    for document in DOCUMENTS:
        for model, path in models(document):
            for name, decorator in model.__pydantic_decorators__.model_validators.items():
                yield f"{model.__name__}.{name}", document, path, decorator.func


@pytest.mark.parametrize(
    ("rule", "document", "path"), [pytest.param(rule, doc, path, id=rule) for rule, doc, path, _ in validators()]
)
def test_fields_that_do_not_fit_together_are_told_the_rule(rule: str, document: type[Section], path: Path):
    for fields, words in TOGETHER[rule]:
        found = messages(document, path, fields)
        assert any(words in text for text in found), found


def test_every_kind_of_rule_is_one_that_this_test_can_break():
    """A new kind of constraint has to be told in words, too."""
    known = (annotated_types.Gt, annotated_types.Ge, annotated_types.Le, annotated_types.MinLen, annotated_types.MaxLen)
    kinds = {
        type(mark)
        for document in DOCUMENTS
        for model, _ in models(document)
        for info in model.model_fields.values()
        for mark, _ in marks(info.annotation, tuple(info.metadata))
        if type(mark).__module__.startswith(("pydantic", "annotated_types"))
    }
    assert kinds <= {*known, AfterValidator, BeforeValidator}
