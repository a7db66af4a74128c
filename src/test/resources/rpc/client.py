"""A client of a few lines that shares nothing with the server: asks the port mapper, then calls. Arguments: address."""
import socket
import struct
import sys

PROGRAM = 0x20004C42
address = sys.argv[1]
mapper = int(sys.argv[2]) if len(sys.argv) > 2 else 111
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.settimeout(20)
xid = 1


def call(port, program, version, procedure, arguments):
    global xid
    xid += 1
    head = struct.pack(">IIIIIIIIII", xid, 0, 2, program, version, procedure, 0, 0, 0, 0)
    sock.sendto(head + arguments, (address, port))
    reply = sock.recv(65535)
    got, kind, accepted, _, _, status = struct.unpack(">IIIIII", reply[:24])
    assert (got, kind, accepted) == (xid, 1, 0), (got, kind, accepted)
    return status, reply[24:]


def opaque(data):
    return struct.pack(">I", len(data)) + data + b"\0" * (-len(data) % 4)


status, body = call(mapper, 100000, 2, 3, struct.pack(">IIII", PROGRAM, 1, 17, 0))
port = struct.unpack(">I", body)[0]
print("port", port)
status, body = call(port, PROGRAM, 1, 2, struct.pack(">qq", 40, 2))
print("sum", struct.unpack(">q", body)[0])
status, body = call(port, PROGRAM, 1, 4, opaque("Grüezi".encode()))
length = struct.unpack(">I", body[:4])[0]
print("greeting", body[4 : 4 + length].decode())
data = bytes(range(256)) * 4
status, body = call(port, PROGRAM, 1, 3, opaque(data))
print("echo", body == opaque(data))
print("no such procedure", call(port, PROGRAM, 1, 99, b"")[0])
print("no such program", call(port, PROGRAM - 1, 1, 0, b"")[0])
print("wrong arguments", call(port, PROGRAM, 1, 2, b"\0" * 12)[0])
