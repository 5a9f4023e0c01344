"""The name under which the documents know the embedded client."""

import subprocess
import sys
from pathlib import Path

import pytest

import clients
from clients.peer import PeerClient
from tests.requirements.marker import requirement


@requirement("000-MAP-01")
def test_the_embedded_client_is_called_as_in_the_documents():
    from clients import MCPClient

    assert MCPClient is PeerClient
    assert clients.__all__ == ["MCPClient"]


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'Client'"):
        _ = clients.Client


def test_the_core_has_no_way_to_it():
    check = (
        "import sys, league_sdk, league_sdk.mcp_adapter.client; "
        "print([name for name in sys.modules if 'clients' in name])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.strip() == "[]"
