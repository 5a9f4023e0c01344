"""A slow and lossy link between a machine and its switch, where the kernel has no `netem`.

`python -m tests.slow_link MACHINE SWITCH DEVICE HARDWARE DELAY_MS LOSS_PERCENT` holds both ends as virtual devices, and
hands each packet on after the delay, or not at all.
"""

import fcntl
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque

from tests.network_namespaces import enter

_TUNSETIFF = 0x400454CA
_TAP_WITHOUT_HEADER = 0x0002 | 0x1000
_LARGEST = 65_536


def device(name: str) -> int:
    """A virtual network device in this thread's namespace."""
    made = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(made, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _TAP_WITHOUT_HEADER))
    return made


def relay(one: int, other: int, delay: float, loss: float) -> None:
    """Hand packets on in both directions until the process is ended."""
    chance = random.Random(7)
    waiting: deque[tuple[float, int, bytes]] = deque()
    across = {one: other, other: one}
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select([one, other], [], [], pause)[0]:
            packet = os.read(end, _LARGEST)
            if chance.random() >= loss:
                waiting.append((time.monotonic() + delay, across[end], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, end, packet = waiting.popleft()
            try:
                os.write(end, packet)
            except OSError:
                continue  # the device is not up yet, or its queue is full: a packet is lost


def main(machine: str, switch: str, name: str, hardware: str, delay_ms: str, loss_percent: str) -> None:
    """Make the link, say so, and hold it."""
    enter(machine)
    near = device("eth0")
    subprocess.run(["ip", "link", "set", "eth0", "address", hardware], check=True)
    enter(switch)
    far = device(name)
    print("ready", flush=True)
    relay(near, far, float(delay_ms) / 1000, float(loss_percent) / 100)


if __name__ == "__main__":
    main(*sys.argv[1:])
