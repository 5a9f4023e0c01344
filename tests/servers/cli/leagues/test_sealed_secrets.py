"""Secrets that a passphrase seals."""

import json

import pytest

from servers.cli.leagues import sealed_secrets
from servers.cli.leagues.sealed_secrets import WrongPassphrase, seal, unseal

SECRETS = {"operator.token": "abc", "player-ada.json": '{"auth_token": "é"}'}


@pytest.mark.parametrize("cost", [{"n": 2**17, "r": 8, "p": 1}])
def test_secrets_open_with_their_passphrase_and_their_records_alone(monkeypatch, cost):
    monkeypatch.setattr(sealed_secrets, "COST", cost)
    sealed = seal(SECRETS, "word", b"cup")
    assert b"abc" not in sealed
    assert unseal(sealed, "word", b"cup") == SECRETS
    for passphrase, bound_to in (("words", b"cup"), ("word", b"autumn")):
        with pytest.raises(WrongPassphrase):
            unseal(sealed, passphrase, bound_to)


def test_the_same_secrets_are_sealed_otherwise_each_time():
    assert seal(SECRETS, "word", b"cup") != seal(SECRETS, "word", b"cup")


def test_a_changed_seal_does_not_open():
    values = json.loads(seal(SECRETS, "word", b"cup"))
    values["sealed"] = "A" * len(values["sealed"])
    with pytest.raises(WrongPassphrase):
        unseal(json.dumps(values).encode(), "word", b"cup")


@pytest.mark.parametrize("change", [{"n": 2**30}, {"r": 2**20}, {"p": 0}, {"salt": 3}, {"nonce": "*"}])
def test_a_file_cannot_ask_for_all_memory_nor_for_nonsense(change):
    values = {**json.loads(seal(SECRETS, "word", b"cup")), **change}
    with pytest.raises(ValueError, match=r"."):
        unseal(json.dumps(values).encode(), "word", b"cup")
