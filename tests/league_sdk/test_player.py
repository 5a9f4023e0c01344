import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from game_rules.even_odd import EvenOdd
from league_sdk import Player, PlayerView, plugins
from league_sdk.net.join_links import JoinLink
from league_sdk.player import DEFAULT_MANAGER, PlayerSetup, Say
from tests.requirements.marker import requirement


@pytest.fixture(autouse=True)
def no_manager_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEAGUE_MANAGER", raising=False)


def a_player(**options: Any) -> Player:
    player = Player("Ada", **options)
    player.strategy(first)
    return player


def first(view: PlayerView) -> object:
    return view.legal_moves[0]


def test_a_cards_link_is_enough_and_the_environment_has_a_secret(tmp_path, monkeypatch):
    link = JoinLink("Ada", "http://league.example:8000/mcp", "K7QD-02MX-9RTB-HJ4E")
    (tmp_path / "card.txt").write_text(link.url, encoding="utf-8")
    for player in (
        Player(join_link=link.url),
        Player(join_link=str(tmp_path / "card.txt")),
        Player("ada", join_link=link.url),
    ):
        player.strategy(first)
        made = player.setup()
        assert (made.name, made.manager, made.join_secret, made.outbound) == ("Ada", link.manager, link.secret, True)
        assert link.secret not in repr(made)
    player = Player(join_link=link.url, outbound=False, manager="http://localhost:9000/mcp")
    player.strategy(first)
    assert (player.setup().outbound, player.setup().manager) == (False, "http://localhost:9000/mcp")
    assert player.setup().game is None
    for given, played in ((None, "tic_tac_toe"), ("even_odd", "even_odd")):
        player = Player(join_link=replace(link, game="tic_tac_toe").url, game=given)
        player.strategy(first)
        assert player.setup().game == played
    with pytest.raises(ValueError, match="the join link is for 'Ada', not for player 'Bob'"):
        Player("Bob", join_link=link.url)
    with pytest.raises(ValueError, match=r"none\.txt cannot be read"):
        Player(join_link=tmp_path / "none.txt")
    monkeypatch.setenv("LEAGUE_JOIN_SECRET", "of the environment")
    assert a_player().setup().join_secret == "of the environment"
    assert a_player(join_secret="given").setup().join_secret == "given"


class FakeRuntime:
    """Stands in for the servers: remembers what it was given, and ends as it is told to."""

    def __init__(self, ends: int | BaseException = 0) -> None:
        self.ends = ends
        self.setups: list[PlayerSetup] = []

    async def __call__(self, setup: PlayerSetup, say: Say) -> int:
        self.setups.append(setup)
        say("a line")
        if isinstance(self.ends, BaseException):
            raise self.ends
        return self.ends


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeRuntime]:
    def install(ends: int | BaseException = 0) -> FakeRuntime:
        fake = FakeRuntime(ends)
        monkeypatch.setattr(plugins, "runtime", {"player": fake}.__getitem__)
        return fake

    return install


@requirement("project-API-01")
def test_a_strategy_comes_back_as_it_was_and_can_be_tested_by_itself():
    player = Player("Ada")

    @player.strategy
    def choose(view: PlayerView) -> object:
        return view.legal_moves[-1]

    view = PlayerView("g", "L", "R1M1", 1, "P01", "P02", legal_moves=("a", "b"))
    assert choose(view) == "b"
    assert player.setup().strategy is choose


def test_an_async_strategy_is_taken_as_well():
    player = Player("Ada")

    @player.strategy
    async def choose(view: PlayerView) -> object:
        return view.legal_moves[0]

    assert player.setup().strategy is choose


def test_a_second_strategy_is_refused_and_both_are_named():
    player = a_player()
    with pytest.raises(ValueError, match=r"'Ada' already has the strategy first, so .*second"):

        @player.strategy
        def second(view: PlayerView) -> object:
            return view.legal_moves[0]


@pytest.mark.parametrize("wrong", [lambda: "even", lambda view, more: more, "random", None])
def test_a_strategy_that_takes_no_view_is_refused_at_once(wrong: Any):
    with pytest.raises(TypeError, match="function of one argument, the view"):
        Player("Ada").strategy(wrong)


@pytest.mark.parametrize("fine", [lambda view, depth=3: depth, lambda *all_of_it: all_of_it, max])
def test_a_strategy_may_have_further_arguments_that_need_not_be_given(fine: Any):
    assert Player("Ada").strategy(fine) is fine


def test_a_player_without_a_strategy_says_how_to_give_it_one():
    with pytest.raises(ValueError, match=r"write @player\.strategy above a function"):
        Player("Ada").run()


@pytest.mark.parametrize("name", ["", "  "])
def test_a_player_needs_a_name(name: str):
    with pytest.raises(ValueError, match="needs a name"):
        Player(name)


def test_the_manager_on_this_machine_is_the_default():
    assert a_player().setup().manager == DEFAULT_MANAGER == "http://localhost:8000/mcp"


def test_the_environment_names_another_manager(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAGUE_MANAGER", "http://10.0.0.1:8000/mcp")
    assert a_player().setup().manager == "http://10.0.0.1:8000/mcp"


@pytest.mark.parametrize("given", ["http://10.0.0.2:8000/mcp", ""])
def test_a_manager_that_is_given_wins_over_the_environment(given: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LEAGUE_MANAGER", "http://10.0.0.1:8000/mcp")
    assert a_player(manager=given).setup().manager == given


def test_a_game_is_a_name_or_an_object_or_a_class():
    game = EvenOdd()
    assert a_player().setup().game is None
    assert a_player(game="even_odd").setup().game == "even_odd"
    assert a_player(game=game).setup().game is game
    assert isinstance(a_player(game=EvenOdd).setup().game, EvenOdd)


@pytest.mark.parametrize("wrong", [42, Player, object()])
def test_anything_else_is_no_game(wrong: Any):
    with pytest.raises(TypeError, match="game has to be a game's name, a Game or a class of games"):
        Player("Ada", game=wrong)


@requirement("project-API-01")
def test_everything_else_reaches_the_runtime_as_given():
    player = a_player(
        league="cup",
        host="0.0.0.0",
        public_host="ada.example",
        port=8101,
        data="here",
        config=Path("there"),
        plugins=[Path("mine"), "yours"],
        seed=7,
        patience=2.5,
    )
    assert player.setup() == PlayerSetup(
        name="Ada",
        strategy=first,
        league="cup",
        host="0.0.0.0",
        public_host="ada.example",
        port=8101,
        data=Path("here"),
        config=Path("there"),
        plugins=("mine", "yours"),
        seed="7",
        patience=2.5,
    )


def test_run_returns_when_the_league_is_over(runtime: Callable[..., FakeRuntime], capsys: pytest.CaptureFixture[str]):
    fake = runtime()
    player = a_player()
    player.run()
    assert fake.setups == [player.setup()]
    assert capsys.readouterr().out == "a line\n"


def test_run_ends_the_program_with_the_code_when_something_went_wrong(runtime: Callable[..., FakeRuntime]):
    runtime(1)
    with pytest.raises(SystemExit) as ended:
        a_player().run()
    assert ended.value.code == 1


def test_ctrl_c_ends_with_130_and_a_sentence(runtime: Callable[..., FakeRuntime], capsys: pytest.CaptureFixture[str]):
    runtime(KeyboardInterrupt())
    with pytest.raises(SystemExit) as ended:
        a_player().run()
    assert ended.value.code == 130
    assert capsys.readouterr().out.endswith("Ada: stopped by Ctrl-C\n")


class Terminated(FakeRuntime):
    """Gets SIGTERM while it plays, and again while it closes what it has open."""

    closed = False

    async def __call__(self, setup: PlayerSetup, say: Say) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            with anyio.fail_after(30):
                await anyio.sleep_forever()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
            self.closed = True
        return 0


@pytest.fixture
def undisturbed() -> Generator[None]:
    """No handler for SIGTERM, as in a program of its own; who measures coverage has one."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("undisturbed")
def test_sigterm_ends_it_as_ctrl_c_does(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    fake = Terminated()
    monkeypatch.setattr(plugins, "runtime", {"player": fake}.__getitem__)
    with pytest.raises(SystemExit) as ended:
        a_player().run()
    assert (ended.value.code, fake.closed) == (130, True)
    assert capsys.readouterr().out == "Ada: stopped by SIGTERM\n"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_that_the_program_has_for_sigterm_stays(runtime: Callable[..., FakeRuntime]):
    heard = list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        runtime()
        a_player().run()
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_a_thread_it_plays_without_hearing_signals(runtime: Callable[..., FakeRuntime]):
    fake = runtime()
    thread = threading.Thread(target=a_player().run)
    thread.start()
    thread.join(30)
    assert len(fake.setups) == 1


def test_a_fault_in_the_program_is_not_hidden(runtime: Callable[..., FakeRuntime]):
    runtime(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        a_player().run()


@pytest.mark.anyio
async def test_play_runs_on_the_loop_that_is_there_and_says_what_happens(runtime: Callable[..., FakeRuntime]):
    runtime(1)
    said: list[str] = []
    with anyio.fail_after(30):
        assert await a_player().play(said.append) == 1
    assert said == ["a line"]


@requirement("project-LEAVE-01")
def test_a_player_says_once_that_it_withdraws_and_its_runtime_hears_it():
    player = a_player()
    setup = player.setup()
    assert not setup.withdrawal.done()
    player.withdraw("out of budget")
    player.withdraw("another reason")
    assert setup.withdrawal.result(0) == "out of budget"


def test_a_reason_that_no_league_takes_is_refused_at_once():
    player = a_player()
    with pytest.raises(ValueError, match="201 characters; 200 are the most"):
        player.withdraw("x" * 201)
    assert not player.setup().withdrawal.done()


@pytest.mark.parametrize("name", ["servers.py", "clients/__init__.py", "game_rules.py"])
def test_a_file_beside_the_program_that_hides_a_package_is_named_in_one_sentence(tmp_path: Path, name: str):
    hidden = tmp_path / name
    hidden.parent.mkdir(exist_ok=True)
    hidden.write_text("")
    (tmp_path / "ada.py").write_text(
        "from league_sdk import Player\n"
        "player = Player('Ada', manager='')\n"
        "player.strategy(lambda view: view.legal_moves[0])\n"
        "player.run()\n"
    )
    ran = subprocess.run([sys.executable, "ada.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    what = hidden.parent if hidden.name == "__init__.py" else hidden
    package = name.partition("/")[0].removesuffix(".py")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout == f"Ada: {what} hides the package {package!r} of mcp-agent-league: give it another name\n"
