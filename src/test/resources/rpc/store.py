"""A client of the RocksDB service. Arguments: address, port, what to do (fill or look)."""
import socket
import struct
import sys

PROGRAM = 0x20005244
GET, PUT, RANGE = 1, 2, 3
address = (sys.argv[1], int(sys.argv[2]))
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.settimeout(20)
xid = 1


def call(procedure, arguments):
    global xid
    xid += 1
    sock.sendto(struct.pack(">IIIIIIIIII", xid, 0, 2, PROGRAM, 1, procedure, 0, 0, 0, 0) + arguments, address)
    reply = sock.recv(65535)
    assert struct.unpack(">IIIII", reply[:20]) == (xid, 1, 0, 0, 0)
    return struct.unpack(">I", reply[20:24])[0], reply[24:]


def opaque(data):
    return struct.pack(">I", len(data)) + data + b"\0" * (-len(data) % 4)


def opened(body):
    length = struct.unpack(">I", body[:4])[0]
    return body[4 : 4 + length], body[4 + length + -length % 4 :]


def get(key):
    status, body = call(GET, opaque(key))
    assert status == 0, status
    return opened(body[4:])[0] if struct.unpack(">I", body[:4])[0] else None


def entries(first, most):
    status, body = call(RANGE, opaque(first) + struct.pack(">I", most))
    assert status == 0, status
    count, rest = struct.unpack(">I", body[:4])[0], opened(body[4:])[0]
    found = []
    while rest:
        key, rest = opened(rest)
        value, rest = opened(rest)
        found.append((key, value))
    assert len(found) == count
    return found


wanted = [(b"key%03d" % n, b"value of %d" % n * (n % 5)) for n in range(100)]
if sys.argv[3] == "fill":
    print("put", all(call(PUT, opaque(key) + opaque(value)) == (0, b"") for key, value in wanted))
    call(PUT, opaque(b"key007") + opaque(b"another"))
    print("replaced", get(b"key007") == b"another")
    call(PUT, opaque(wanted[7][0]) + opaque(wanted[7][1]))
print("get", all(get(key) == value for key, value in wanted))
print("not there", get(b"nothing"))
print("range", entries(b"key0105", 5) == wanted[11:16])
print("end", entries(b"key098", 1000) == wanted[98:])
every = entries(b"", 1000)
print("what fits", 0 < len(every) < 100 and every == wanted[: len(every)])
print("wrong arguments", call(RANGE, b"\0" * 3)[0])
