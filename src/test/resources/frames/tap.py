"""The kernel's end of a TAP interface: sends the frames of one file, keeps in another what comes, both a frame a line in hex."""
import fcntl
import os.path
import socket
import struct
import subprocess
import sys
import time

SOL_PACKET, PACKET_AUXDATA, PACKET_OUTGOING, ETH_P_ALL = 263, 8, 4, 3
VLAN_VALID = 1 << 4
SIOCGIFFLAGS, IFF_UP = 0x8913, 1
START_SECONDS = 60


def up(name):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        try:
            flags = fcntl.ioctl(any_socket, SIOCGIFFLAGS, struct.pack("16sH14x", name.encode(), 0))
        except OSError:
            return False
    return struct.unpack_from("H", flags, 16)[0] & IFF_UP != 0


def takes_frames(name):
    """An interface is up before its queue is there, and what is sent in between the kernel drops."""
    if not up(name):
        return False
    said = subprocess.run(["ip", "link", "show", name], capture_output=True, text=True).stdout
    return "qdisc" in said and "qdisc noop " not in said


def dropped(name):
    """Frames that the kernel could not give to the interface."""
    with open("/proc/self/net/dev") as devices:
        for line in devices:
            device, _, counters = line.partition(":")
            if device.strip() == name:
                return int(counters.split()[11])
    return 0


def with_tag(frame, notes):
    """The kernel takes a VLAN tag out of what it receives."""
    for level, kind, data in notes:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, tci, protocol = struct.unpack("IIIHHHH", data[:20])
            if status & VLAN_VALID:
                return frame[:12] + struct.pack("!HH", protocol, tci) + frame[12:]
    return frame


def main(name, given, kept):
    deadline = time.monotonic() + START_SECONDS
    if not up(name) or not os.path.exists(given):
        print("waiting", flush=True)
    while not takes_frames(name):
        if time.monotonic() > deadline:
            sys.exit(f"{name} does not come up")
        time.sleep(0.01)
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    link.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    link.bind((name, ETH_P_ALL))
    link.settimeout(0.1)
    while not os.path.exists(given) and up(name):
        time.sleep(0.01)
    refused = 0
    with open(given) as frames:
        for line in frames:
            try:
                link.send(bytes.fromhex(line))
            except OSError:
                refused += 1
    print(f"refused {refused} dropped {dropped(name)}", flush=True)
    with open(kept, "w") as out:
        while True:
            try:
                frame, notes, _, sender = link.recvmsg(65536, 256)
            except TimeoutError:
                if not up(name):
                    break
                continue
            except OSError:  # the interface went; what has come is still to be read
                continue
            if sender[2] != PACKET_OUTGOING:
                out.write(with_tag(frame, notes).hex() + "\n")


main(*sys.argv[1:])
