"""A vfio-user server for a design in a Python simulator, such as a cocotb testbench: Bascule, or QEMU, is its host.

Give Bridge a Card and a design, an object with four coroutines, and await serve() beside the testbench:

    async def read(self, bar, offset, size): ...         register read, returns an int; writes before it are in the design
    async def write(self, bar, offset, size, value): ... register write; may return before the design has it
    async def settle(self): ...                          returns once every write has reached the design
    async def reset(self): ...                           as after power-on

The design reaches the host by Bridge.read, Bridge.write (DMA) and Bridge.interrupt. One thread, one client at a time;
nothing blocks the simulator: the socket is looked at between two pauses, which are whatever the testbench awaits, as
ClockCycles(clk, 16). Standard library only. Memory that the client cuts under a mapping ends the process (SIGBUS): serve
clients that you trust.
"""

import array
import collections
import contextlib
import dataclasses
import errno
import json
import mmap
import os
import select
import socket
import stat
import struct
import threading
import time

VERSION, DMA_MAP, DMA_UNMAP, GET_INFO, GET_REGION_INFO, GET_REGION_IO_FDS, GET_IRQ_INFO, SET_IRQS = range(1, 9)
REGION_READ, REGION_WRITE, DMA_READ, DMA_WRITE, RESET = range(9, 14)
REGION_WRITE_MULTI = 15
HEADER = struct.Struct("<HHIII")
REPLY, NO_REPLY, FAILED = 1, 0x10, 0x20
MOST_BYTES = 1 << 20
MOST_FDS = 16
MOST_MAPS = 16384
PAGE = 4096
BARS, CONFIG, REGIONS = 6, 7, 9
MSIX, KINDS = 2, 5
MSIX_ADDRESS, MSIX_BYTES = 0xFEE00000, 0x100000
DMA_SECONDS = 2
MESSAGE_SECONDS = 1
MOST_GUESTS = 16


class Refusal(Exception):
    """A command that is answered with an error."""

    def __init__(self, why, number=errno.EINVAL):
        super().__init__(why)
        self.number = number


class Gone(Exception):
    """The client has left, or cannot be understood."""


class DmaError(Exception):
    """The host refuses an access of the device: not mapped, not allowed, bus mastering off, client gone."""


def require(good, why):
    if not good:
        raise Refusal(why)


@dataclasses.dataclass
class Card:
    """What the device says of itself. bars: sizes in bytes by index, powers of two."""

    vendor: int
    device: int
    bars: dict
    class_code: int = 0x020000
    vectors: int = 0
    msix_bar: int = 0
    msix_table: int = 0
    msix_pending: int = 0
    msix_in_design: bool = False  # the design has the table, and sends interrupts as writes to MSIX_ADDRESS
    register_bytes: int = 4  # widest register access, 4 or 8


class ConfigSpace:
    """The first 256 bytes, with an MSI-X capability; only what software may write changes."""

    EXPRESS, MSIX, BYTES = 0x40, 0x80, 256

    def __init__(self, card):
        self.bytes = bytearray(self.BYTES)
        self._writable = bytearray(self.BYTES)
        self._set("<HH", 0, card.vendor, card.device)
        self._set("<H", 6, 0x10)
        self._set("<I", 8, card.class_code << 8)
        self._set("<HH", 0x2C, card.vendor, card.device)
        self._set("<B", 0x34, self.EXPRESS)
        self._allow("<H", 4, 0x0546)
        for bar, size in card.bars.items():
            self._allow("<I", 0x10 + 4 * bar, ~(size - 1) & 0xFFFFFFF0)
        self._set("<BBHI", self.EXPRESS, 0x10, self.MSIX if card.vectors else 0, 2, 0x8001)
        self._allow("<H", self.EXPRESS + 8, 0x7FFF)
        if card.vectors:
            self._set("<BBHII", self.MSIX, 0x11, 0, card.vectors - 1, card.msix_table | card.msix_bar,
                      card.msix_pending | card.msix_bar)
            self._allow("<H", self.MSIX + 2, 0xC000)

    def _set(self, form, at, *values):
        struct.pack_into(form, self.bytes, at, *values)

    def _allow(self, form, at, mask):
        struct.pack_into(form, self._writable, at, mask)

    def write(self, at, data):
        for i, byte in enumerate(data, at):
            self.bytes[i] = self.bytes[i] & ~self._writable[i] & 0xFF | byte & self._writable[i]

    @property
    def is_master(self):
        return bool(self.bytes[4] & 4)

    @property
    def msix_enabled(self):
        return bool(self.bytes[self.MSIX + 3] & 0x80)

    @property
    def msix_masked(self):
        return bool(self.bytes[self.MSIX + 3] & 0x40)


class Memory:
    """The client's memory: ranges with a file are mapped here, the others are reached by message."""

    def __init__(self):
        self._maps = {}  # first address -> (end, flags, memoryview or None, mmap)
        self._fence = threading.Lock()

    def map(self, first, size, flags, fd, offset):
        require(flags in (1, 2, 3) and size and not (first | size) % PAGE and first + size <= 1 << 64, "a mapping")
        if any(first < end and at < first + size for at, (end, *_) in self._maps.items()):
            raise Refusal("a mapping over an existing one", errno.EEXIST)
        if len(self._maps) >= MOST_MAPS:
            raise Refusal("more mappings than agreed", errno.ENOSPC)
        memory = view = None
        if fd is not None:
            status = os.fstat(fd)
            require(stat.S_ISREG(status.st_mode) and offset + size <= status.st_size and not offset % PAGE,
                    "a mapping beyond the end of its file")
            protection = mmap.PROT_READ | (mmap.PROT_WRITE if flags & 2 else 0)
            try:
                memory = mmap.mmap(fd, size, mmap.MAP_SHARED, protection, offset=offset)
            except OSError as e:
                raise Refusal("a descriptor that cannot be mapped", e.errno) from e
            view = memoryview(memory)
        self._maps[first] = (first + size, flags, view, memory)

    def unmap(self, first, size):
        inside = [at for at, (end, *_) in self._maps.items() if at < first + size and end > first]
        require(all(at >= first and self._maps[at][0] <= first + size for at in inside), "an unmapping of a part")
        if not inside and size < MOST_BYTES:
            raise Refusal("an unmapping where nothing is mapped", errno.ENOENT)
        for at in inside:
            self._drop(at)

    def unmap_all(self):
        for at in list(self._maps):
            self._drop(at)

    def _drop(self, at):
        _, _, view, memory = self._maps.pop(at)
        if memory is not None:
            view.release()
            memory.close()

    def pieces(self, address, size, needed):
        """The range as (view or None, offset, bytes) of its mappings; DmaError unless all of it may be used so."""
        found = []
        while size:
            first = max((at for at in self._maps if at <= address), default=None)
            end, flags, view, _ = self._maps.get(first, (0, 0, None, None))
            if end <= address or not flags & needed:
                raise DmaError(f"0x{address:x} + {size}")
            part = min(size, end - address)
            found.append((view, address - first, part))
            address += part
            size -= part
        return found

    def fence(self):
        """A lock's two barriers: what was stored before is seen before what is stored later."""
        with self._fence:
            pass

    def store(self, view, at, data):
        """Stores, the last aligned word by itself and after all others: it has the byte that says the rest is there."""
        tail = 8
        while tail > 1 and (tail > len(data) or (at + len(data)) % tail):
            tail //= 2
        last = len(data) - tail
        view[at:at + last] = data[:last]
        self.fence()
        word = view[at + last:at + len(data)].cast({8: "Q", 4: "I", 2: "H", 1: "B"}[tail])
        word[0] = int.from_bytes(data[last:], "little")


class Vector:
    def __init__(self):
        self.line = None
        self.masked = True
        self.pending = False


class Client:
    """A connection: whole messages in, whole messages out, nothing ever waits."""

    def __init__(self, connection):
        self.socket = connection
        self.socket.setblocking(False)
        self.agreed = False
        self.transfer = MOST_BYTES
        self.memory = Memory()
        self.commands = collections.deque()
        self.replies = {}
        self._next = 0
        self._in = bytearray()
        self._out = bytearray()
        self._fds = []
        self._began = None

    def pump(self):
        """Sends what waits, and takes the messages that are there; Gone at the end of the connection."""
        self._flush()
        while (whole := self._receive()) is not None:
            number, command, _, flags, error = HEADER.unpack_from(whole)
            fds, self._fds = self._fds, []
            if flags & 0xF == REPLY:
                close_all(fds)
                if number in self.replies:
                    self.replies[number] = (flags, whole[HEADER.size:])
            else:
                self.commands.append((number, command, flags, whole[HEADER.size:], fds))
                if len(self.commands) > 65536:
                    raise Gone("it sends commands and does not wait")

    def _receive(self):
        while True:
            wanted = HEADER.size if len(self._in) < HEADER.size else HEADER.unpack_from(self._in)[2]
            if not HEADER.size <= wanted <= MOST_BYTES + 80:
                raise Gone(f"a message of {wanted} bytes")
            if len(self._in) == wanted and wanted >= HEADER.size and HEADER.unpack_from(self._in)[2] == wanted:
                whole, self._in = bytes(self._in), bytearray()
                return whole
            try:
                data, control, _, _ = self.socket.recvmsg(wanted - len(self._in),
                                                          socket.CMSG_SPACE(4 * 253), socket.MSG_CMSG_CLOEXEC)
            except (BlockingIOError, InterruptedError):
                return self._wait()
            except OSError as e:
                raise Gone(os.strerror(e.errno)) from e
            self._keep(control)
            if not data:
                raise Gone("it closed the connection")
            self._in += data
            self._began = None

    def _wait(self):
        """Nothing is there now; half a message, or none at all before the first, may not last."""
        if self.agreed and not self._in:
            return
        self._began = self._began or time.monotonic()
        if time.monotonic() - self._began > MESSAGE_SECONDS:
            raise Gone("it stopped in the middle of a message")

    def _keep(self, control):
        for level, kind, data in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(data[:len(data) - len(data) % numbers.itemsize])
                self._fds += numbers
        if len(self._fds) > MOST_FDS:
            raise Gone("more descriptors than agreed")

    def send(self, number, command, flags, error, body, fd=None):
        message = HEADER.pack(number, command, HEADER.size + len(body), flags, error) + body
        if fd is not None:  # the first reply: nothing waits in front of it
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
            message = message[self.socket.sendmsg([message], rights):]
        self._out += message
        if len(self._out) > 16 * MOST_BYTES:
            raise Gone("it does not read its replies")
        self._flush()

    def _flush(self):
        while self._out:
            try:
                del self._out[:self.socket.send(self._out, socket.MSG_NOSIGNAL)]
            except (BlockingIOError, InterruptedError):
                return
            except OSError as e:
                raise Gone(os.strerror(e.errno)) from e

    def ask(self, command, body):
        """Sends a command of the device; its reply comes to replies[number]."""
        number = self._next = self._next + 1 & 0xFFFF
        self.replies[number] = None
        self.send(number, command, 0, 0, body)
        return number

    def close(self):
        self.socket.close()
        self.memory.unmap_all()
        for *_, fds in self.commands:
            close_all(fds)
        close_all(self._fds)


def close_all(fds):
    for fd in fds:
        os.close(fd)


class Bridge:
    """Serves a card at a socket. time_ns: the design's time, offered to the client as the clock its waits count."""

    def __init__(self, path, card, design, time_ns=None, log=print):
        self.card, self.design, self.faults = card, design, 0
        self._path, self._time_ns, self._log = path, time_ns, log
        self._config = ConfigSpace(card)
        self._vectors = [Vector() for _ in range(card.vectors)]
        self._client = None
        self._pause = None
        self._clock = self._clock_fd = None
        if time_ns is not None:
            self._clock_fd = os.memfd_create("bascule-clock", os.MFD_CLOEXEC)
            os.ftruncate(self._clock_fd, PAGE)
            self._clock = memoryview(mmap.mmap(self._clock_fd, PAGE)).cast("Q")

    # ---- the testbench's side

    async def serve(self, pause, clients=None):
        """Serves, for ever or until so many clients have left. pause() gives what is awaited between two looks."""
        self._pause = pause
        listener = self._listen()
        guests, left = [], 0
        await self.design.reset()
        try:
            while clients is None or left < clients:
                self._accept(listener, guests)
                if self._client is None:
                    await pause()
                    continue
                try:
                    await self._turn()
                except Gone as end:
                    await self._leave(end)
                    left += 1
        finally:
            for one in guests:
                one.close()
            if self._client is not None:
                self._client.close()
            self._release()
            listener.close()
            os.unlink(self._path)

    async def read(self, address, size):
        """DMA from the host's memory, bytes; DmaError where it is refused."""
        found = bytearray()
        for view, at, part in self._pieces(address, size, 1):
            if view is None:
                found += await self._by_message(DMA_READ, address + len(found), part, b"")
            else:
                self._client.memory.fence()  # the driver's stores before the one that told the device to look
                found += view[at:at + part]
        return bytes(found)

    async def write(self, address, data):
        """DMA into the host's memory; all of it is there when this returns. DmaError where it is refused."""
        if self.card.msix_in_design and MSIX_ADDRESS <= address < MSIX_ADDRESS + MSIX_BYTES:
            if self._client is None or not self._config.is_master:
                raise DmaError("an interrupt, and bus mastering is off")
            self._fire(int.from_bytes(data[:4], "little"))
            return
        done = 0
        for view, at, part in self._pieces(address, len(data), 2):
            piece = data[done:done + part]
            if view is None:
                await self._by_message(DMA_WRITE, address + done, part, piece)
            else:
                self._client.memory.store(view, at, piece)
            done += part

    def interrupt(self, vector):
        """Raises a message interrupt; what was written before is in the host's memory before."""
        if self._client is not None and self._config.is_master:
            self._fire(vector)

    # ---- the socket

    def _listen(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.connect(self._path)
        except ConnectionRefusedError:
            os.unlink(self._path)  # of a server that was killed
        except FileNotFoundError:
            pass
        else:
            listener.close()
            raise OSError(errno.EADDRINUSE, "another server listens there; end it, or name another path", self._path)
        listener.close()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        fresh = self._path + ".new"  # whoever sees the path can connect to it
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        listener.bind(fresh)
        listener.listen(16)
        os.rename(fresh, self._path)
        listener.setblocking(False)
        return listener

    def _accept(self, listener, guests):
        """Takes the first that speaks as client, and tells the others that the device is in use."""
        if self._client is None:
            select.select([listener, *guests], [], [], 0 if guests else 0.01)  # nobody waits for the simulator
        try:
            guests.append(Client(listener.accept()[0]).socket)
        except (BlockingIOError, InterruptedError):
            pass
        for guest in list(guests):
            try:
                head = guest.recv(HEADER.size, socket.MSG_PEEK)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                head = b""
            guests.remove(guest)
            if head and self._client is None:
                self._client = Client(guest)
                continue
            if len(head) == HEADER.size:
                try:
                    guest.send(HEADER.pack(*HEADER.unpack(head)[:2], HEADER.size, REPLY | FAILED, errno.EBUSY),
                               socket.MSG_NOSIGNAL)
                except OSError:
                    pass  # it went by itself
            guest.close()
        while len(guests) > MOST_GUESTS:
            guests.pop(0).close()  # it says nothing

    async def _turn(self):
        client = self._client
        client.pump()
        while client.commands:
            await self._answer(client, *client.commands.popleft())
        await self._pause()
        if self._clock is not None:
            client.memory.fence()
            self._clock[0] = max(self._clock[0], int(self._time_ns()))

    async def _leave(self, end):
        """The device is as after power-on for the next client."""
        self._log(f"bascule: the client is gone: {end}")
        self._client.close()
        self._client = None
        self._release()
        self._config = ConfigSpace(self.card)
        await self.design.reset()

    def _release(self):
        for vector in self._vectors:
            if vector.line is not None:
                os.close(vector.line)
        self._vectors = [Vector() for _ in self._vectors]

    # ---- messages

    async def _answer(self, client, number, command, flags, body, fds):
        try:
            require(client.agreed != (command == VERSION), "a command out of place")
            require(not fds or command in (DMA_MAP, SET_IRQS), "descriptors where none belong")
            reply = await self._dispatch(client, command, flags, body, fds)
            clock = self._clock_fd if command == VERSION and b"bascule_clock" in reply else None
            if not flags & NO_REPLY:
                client.send(number, command, REPLY, 0, reply, clock)
        except (Refusal, struct.error) as e:
            self._log(f"bascule: refused command {command}: {e}")
            if not flags & NO_REPLY:
                client.send(number, command, REPLY | FAILED, getattr(e, "number", errno.EINVAL), b"")
            if not client.agreed:
                raise Gone("no version was agreed") from e
        finally:
            close_all(fds)

    async def _dispatch(self, client, command, flags, body, fds):
        if command == VERSION:
            return self._version(client, body)
        if command == DMA_MAP:
            size, rights, offset, address, length = struct.unpack("<IIQQQ", body)
            require(size == 32 and len(fds) <= 1, "the form of DMA_MAP")
            client.memory.map(address, length, rights, fds[0] if fds else None, offset)
            return b""
        if command == DMA_UNMAP:
            return await self._unmap(client, body)
        if command == GET_INFO:
            return struct.pack("<IIII", 16, 3, REGIONS, KINDS)
        if command == GET_REGION_INFO:
            region = struct.unpack_from("<III", body)[2]
            size = self._region_bytes(region)
            return struct.pack("<IIIIQQ", 32, 3 if size else 0, region, 0, size, 0)
        if command == GET_REGION_IO_FDS:
            return struct.pack("<IIII", 16, 0, struct.unpack_from("<III", body)[2], 0)
        if command == GET_IRQ_INFO:
            kind = struct.unpack_from("<III", body)[2]
            return struct.pack("<IIII", 16, 3 if kind < 3 else 1, kind, self._count(kind))
        if command == SET_IRQS:
            await self.design.settle()
            await self._set_irqs(body, fds)
            return b""
        if command == REGION_READ:
            return await self._read(body)
        if command == REGION_WRITE:
            return await self._write(body, flags)
        if command == REGION_WRITE_MULTI:
            return await self._write_all(body)
        if command == RESET:
            await self._reset()
            return b""
        raise Refusal("a command that is not offered", errno.EOPNOTSUPP)

    def _version(self, client, body):
        major, minor = struct.unpack_from("<HH", body)
        require(major == 0, f"major version {major}")
        text = body[4:].rstrip(b"\0")
        try:
            theirs = json.loads(text or b"{}").get("capabilities", {})
            client.transfer = min(MOST_BYTES, max(1, int(theirs.get("max_data_xfer_size", MOST_BYTES))))
        except (ValueError, TypeError, AttributeError) as e:
            raise Refusal(f"version data: {e}") from e
        ours = {"max_msg_fds": MOST_FDS, "max_data_xfer_size": MOST_BYTES, "max_dma_maps": MOST_MAPS, "pgsizes": PAGE,
                "write_multiple": bool(theirs.get("write_multiple"))}
        if self._clock is not None and theirs.get("bascule_clock") is True:
            ours["bascule_clock"] = {"offset": 0}
        client.agreed = True
        return struct.pack("<HH", 0, min(minor, 1)) + json.dumps({"capabilities": ours}).encode() + b"\0"

    async def _unmap(self, client, body):
        _, flags, address, length = struct.unpack("<IIQQ", body)
        await self.design.settle()
        if flags == 2 and not address and not length:
            client.memory.unmap_all()
        else:
            require(flags == 0 and length, "the form of DMA_UNMAP")
            client.memory.unmap(address, length)
        return body

    async def _reset(self):
        await self.design.settle()
        self._config = ConfigSpace(self.card)
        await self.design.reset()
        for number, vector in enumerate(self._vectors):
            vector.pending = False
            await self._mask(number, vector.line is None)

    # ---- regions

    def _region_bytes(self, region):
        require(region < REGIONS, f"region {region}")
        return ConfigSpace.BYTES if region == CONFIG else self.card.bars.get(region, 0)

    def _check(self, region, offset, count):
        require(0 < count <= MOST_BYTES and offset + count <= self._region_bytes(region),
                f"offset {offset} + {count} of region {region}")

    def _accesses(self, offset, count):
        """The range in the widest aligned accesses that the design takes."""
        end = offset + count
        while offset < end:
            width = self.card.register_bytes
            while offset % width or width > end - offset:
                width //= 2
            yield offset, width
            offset += width

    async def _read(self, body):
        offset, region, count = struct.unpack("<QII", body)
        self._check(region, offset, count)
        if region == CONFIG:
            return body + self._config.bytes[offset:offset + count]
        found = bytearray()
        for at, width in self._accesses(offset, count):
            value = self._msix_read(region, at, width)
            if value is None:
                value = await self.design.read(region, at, width)
            found += (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        return body + found

    async def _write(self, body, flags):
        offset, region, count = struct.unpack_from("<QII", body)
        require(len(body) == 16 + count, "the form of REGION_WRITE")
        self._check(region, offset, count)
        await self._put(region, offset, body[16:])
        if not flags & NO_REPLY:
            await self.design.settle()
        return body[:16]

    async def _write_all(self, body):
        count, = struct.unpack_from("<Q", body)
        require(count <= 1024 and len(body) == 8 + 24 * count, "the form of REGION_WRITE_MULTI")
        writes = [struct.unpack_from("<QII8s", body, 8 + 24 * i) for i in range(count)]
        for offset, region, size, _ in writes:
            require(size <= 8, "a write of more than 8 bytes among several")
            self._check(region, offset, size)
        for offset, region, size, data in writes:
            await self._put(region, offset, data[:size])
        return body[:8]

    async def _put(self, region, offset, data):
        if region == CONFIG:
            await self.design.settle()
            self._config.write(offset, data)
            self._deliver()
            return
        for at, width in self._accesses(offset, len(data)):
            value = int.from_bytes(data[at - offset:at - offset + width], "little")
            if not await self._msix_write(region, at, width, value):
                await self.design.write(region, at, width, value)

    # ---- interrupts: a vector is unmasked once the client gave it an eventfd, as with the kernel's VFIO

    def _count(self, kind):
        require(kind < KINDS, f"interrupt index {kind}")
        return self.card.vectors if kind == MSIX else 1 if kind > MSIX else 0

    async def _set_irqs(self, body, fds):
        _, flags, kind, start, count = struct.unpack_from("<IIIII", body)
        data, action = flags & 7, flags & 0x38
        require(data in (1, 2, 4) and action in (8, 0x10, 0x20) and not flags & ~0x3F, "flags of SET_IRQS")
        require(start + count <= self._count(kind), "vectors that the device has not")
        require(len(body) == 20 + (count if data == 2 else 0), "data for another number of vectors")
        require(len(fds) in (0, count) if data == 4 else not fds, "descriptors for another number of vectors")
        require(all(os.readlink(f"/proc/self/fd/{fd}") == "anon_inode:[eventfd]" for fd in fds),
                "a descriptor that is no eventfd")
        if kind != MSIX:
            return  # errors and removal are never told
        for i in range(count) if count else range(self.card.vectors):
            if data == 4 or not count:
                await self._assign(start + i, fds[i] if fds else None)
            elif data == 1 or body[20 + i]:
                await self._act(start + i, action)

    async def _assign(self, number, fd):
        vector = self._vectors[number]
        if vector.line is not None:
            os.close(vector.line)
        vector.line = None if fd is None else os.dup(fd)
        await self._mask(number, fd is None)

    async def _act(self, number, action):
        if action == 0x20:
            signal(self._vectors[number].line)
        else:
            await self._mask(number, action == 8)

    async def _mask(self, number, masked):
        vector = self._vectors[number]
        vector.masked = masked
        if self.card.msix_in_design:
            vector.masked = False
            for i, word in enumerate((MSIX_ADDRESS, 0, number, int(masked))):
                await self.design.write(self.card.msix_bar, self.card.msix_table + 16 * number + 4 * i, 4, word)
            await self.design.settle()
        self._deliver()

    def _fire(self, number):
        if number >= len(self._vectors):
            return
        vector = self._vectors[number]
        enabled = self._config.msix_enabled or any(one.line is not None for one in self._vectors)
        vector.pending = enabled and (vector.masked or self._config.msix_masked or vector.line is None)
        if enabled and not vector.pending:
            signal(vector.line)

    def _deliver(self):
        for number, vector in enumerate(self._vectors):
            if vector.pending:
                self._fire(number)

    def _table_entry(self, bar, offset):
        at = offset - self.card.msix_table
        return at // 16 if bar == self.card.msix_bar and 0 <= at < 16 * self.card.vectors else None

    def _msix_read(self, bar, offset, width):
        if self.card.msix_in_design or not self.card.vectors:
            return None
        entry = self._table_entry(bar, offset)
        if entry is not None:
            word = self._vectors[entry].masked << 96
            return word >> 8 * (offset % 16) & (1 << 8 * width) - 1
        at = offset - self.card.msix_pending
        if bar != self.card.msix_bar or not 0 <= at < (self.card.vectors + 63) // 64 * 8:
            return None
        bits = sum(vector.pending << number for number, vector in enumerate(self._vectors))
        return bits >> 8 * at & (1 << 8 * width) - 1

    async def _msix_write(self, bar, offset, width, value):
        entry = self._table_entry(bar, offset)
        if entry is None:
            return False
        field = offset % 16
        if field + width > 12:  # address and data are the bridge's
            await self._mask(entry, bool(value >> 8 * max(0, 12 - field) & 1))
        return True

    # ---- DMA

    def _pieces(self, address, size, needed):
        try:
            if self._client is None or not self._config.is_master:
                raise DmaError("bus mastering is off, or no client is there")
            return self._client.memory.pieces(address, size, needed)
        except DmaError as e:
            self.faults += 1
            if self.faults <= 16:
                self._log(f"bascule: DMA refused: {e}")
            raise

    async def _by_message(self, command, address, size, data):
        """Memory without a file, in transfers as long as the client takes."""
        client, found = self._client, bytearray()
        for done in range(0, size, client.transfer):
            part = min(client.transfer, size - done)
            try:
                number = client.ask(command, struct.pack("<QQ", address + done, part) + data[done:done + part])
                end = time.monotonic() + DMA_SECONDS
                while client.replies[number] is None and time.monotonic() < end:
                    client.pump()
                    await self._pause()
                flags, body = client.replies.pop(number) or (FAILED, b"")
            except Gone as e:
                raise DmaError(str(e)) from e
            if flags & FAILED or command == DMA_READ and len(body) != 16 + part:
                raise DmaError(f"0x{address + done:x} + {part}: the client refuses it")
            found += body[16:]
        return bytes(found)


def signal(fd):
    """Adds one to an eventfd; one that is full has been signalled already."""
    if fd is not None:
        look = select.poll()
        look.register(fd, select.POLLOUT)
        if look.poll(0):
            os.eventfd_write(fd, 1)
