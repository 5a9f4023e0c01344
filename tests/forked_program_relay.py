"""Stands where a program is started by its command line: has it forked by the warm process, and ends as it ends.

    python -I -S tests/forked_program_relay.py <socket> <script, or -m and a module> <arguments>

It uses the standard library alone, so it starts at once. The program gets its folder, environment, input and output.
"""

import json
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as hearth:
    hearth.connect(sys.argv[1])
    command = sys.argv[2:]
    kind = "module" if command[0] == "-m" else "script"
    name, *arguments = command[1:] if kind == "module" else command
    here = os.getcwd()  # noqa: PTH109 - pathlib would take longer than all of this
    order = {kind: name, "arguments": arguments, "cwd": here, "env": {**os.environ}, "session": False}
    socket.send_fds(hearth, [json.dumps(order).encode()], [0, 1, 2])
    for number in (0, 1, 2):  # whoever reads the program's output has to see its end
        os.close(number)
    pid = int(hearth.recv(64))
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    code = int(hearth.recv(64))
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
