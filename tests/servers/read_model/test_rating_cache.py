import pytest

from servers.read_model import rating_cache
from servers.read_model.rating_cache import RatingCache
from tests.servers.league_history import finished, under_way

pytestmark = pytest.mark.anyio


async def test_ratings_are_computed_once_for_each_complete_round(monkeypatch):
    computed = list[int]()
    rate = rating_cache.rate

    def counted(results, *, chance):
        computed.append(len(results))
        return rate(results, chance=chance)

    monkeypatch.setattr(rating_cache, "rate", counted)
    cache, league = RatingCache(), finished(4).league
    first = await cache.ratings(league)
    assert set(first.players) == set(league.players)
    assert await cache.ratings(league) is first
    assert computed == [6]


async def test_a_league_without_a_complete_round_has_none():
    assert not (await RatingCache().ratings(under_way(4).league)).players
