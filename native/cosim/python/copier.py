"""The smallest design: it copies a range of host memory and raises an interrupt. python3 copier.py SOCKET [CYCLE_US]

Without simulator: an asyncio task stands for the clock, and a cycle takes CYCLE_US of wall time and 1 us of the device's.

    00 source address   08 destination address   10 length   14 write: start; read: copies done   18 copies refused
"""

import asyncio
import collections
import sys

import bascule_cosim


class Copier:
    def __init__(self):
        self.bridge = None
        self.cycles = 0
        self.orders = collections.deque()
        self.memory = bytearray(4096)

    async def read(self, bar, offset, size):
        return int.from_bytes(self.memory[offset:offset + size], "little")

    async def write(self, bar, offset, size, value):
        if offset == 0x14:
            source, destination, length = (int.from_bytes(self.memory[at:at + size], "little")
                                           for at, size in ((0, 8), (8, 8), (16, 4)))
            self.orders.append((source, destination, length))
        else:
            self.memory[offset:offset + size] = value.to_bytes(size, "little")

    async def settle(self):
        while self.orders:
            await asyncio.sleep(0)

    async def reset(self):
        self.memory = bytearray(4096)

    def count(self, at):
        self.memory[at:at + 4] = (int.from_bytes(self.memory[at:at + 4], "little") + 1).to_bytes(4, "little")

    async def run(self, seconds):
        while True:
            await asyncio.sleep(seconds)
            self.cycles += 1
            if not self.orders:
                continue
            source, destination, length = self.orders[0]
            try:
                await self.bridge.write(destination, await self.bridge.read(source, length))
                self.count(0x14)
            except bascule_cosim.DmaError:
                self.count(0x18)
            self.orders.popleft()
            self.bridge.interrupt(0)


async def main(path, cycle_us):
    design = Copier()
    card = bascule_cosim.Card(vendor=0x1234, device=0xC0C0, class_code=0x088000, bars={0: 4096}, vectors=2,
                              msix_table=0x800, msix_pending=0xC00, register_bytes=8)
    design.bridge = bascule_cosim.Bridge(path, card, design, time_ns=lambda: 1000 * design.cycles)
    asyncio.create_task(design.run(cycle_us / 1e6))
    await design.bridge.serve(lambda: asyncio.sleep(0.0002))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 100))
