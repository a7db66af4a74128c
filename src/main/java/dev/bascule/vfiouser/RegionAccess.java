package dev.bascule.vfiouser;

import dev.bascule.device.Registers;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A region of a served device, by message. A device that is gone reads as all ones and swallows writes. */
final class RegionAccess implements Registers {
    private final ClientConnection connection;
    private final int region;
    private final long sizeBytes;

    RegionAccess(ClientConnection connection, int region, long sizeBytes) {
        this.connection = connection;
        this.region = region;
        this.sizeBytes = sizeBytes;
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public long read(long offset, int widthBytes) {
        Registers.check(offset, widthBytes, sizeBytes);
        ensureOpen();
        MemorySegment value = MemorySegment.ofArray(new byte[8]);
        return readPart(offset, value.asSlice(0, widthBytes))
                ? Fields.get64(value, 0)
                : -1L >>> 64 - widthBytes * 8;
    }

    @Override
    public void write(long offset, int widthBytes, long value) {
        Registers.check(offset, widthBytes, sizeBytes);
        ensureOpen();
        MemorySegment data = MemorySegment.ofArray(new byte[widthBytes]);
        Fields.put(data, 0, widthBytes, value);
        writePart(offset, data, connection.options().postedWrites());
    }

    /** Reads any range, in transfers as long as both sides allow. */
    void read(long offset, MemorySegment into) {
        checkRange(offset, into.byteSize());
        long most = connection.peer().maxTransferBytes();
        for (long done = 0; done < into.byteSize(); done += most) {
            MemorySegment part = into.asSlice(done, Math.min(most, into.byteSize() - done));
            if (!readPart(offset + done, part)) {
                throw connection.gone("read region " + region);
            }
        }
    }

    /** Writes any range, in transfers as long as both sides allow; each is answered. */
    void write(long offset, MemorySegment from) {
        checkRange(offset, from.byteSize());
        long most = connection.peer().maxTransferBytes();
        for (long done = 0; done < from.byteSize(); done += most) {
            writePart(offset + done, from.asSlice(done, Math.min(most, from.byteSize() - done)), false);
            if (connection.isGone()) {
                throw connection.gone("write region " + region);
            }
        }
    }

    /** Several writes, in one message where the server knows that. */
    void writeAll(List<RegisterWrite> writes) {
        ensureOpen();
        for (RegisterWrite write : writes) {
            Registers.check(write.offset(), write.widthBytes(), sizeBytes);
        }
        if (!connection.peer().writeMultiple()) {
            writes.forEach(write -> write(write.offset(), write.widthBytes(), write.value()));
            return;
        }
        for (int from = 0; from < writes.size(); from += Protocol.MAX_MULTI_WRITES / 4) {
            sendAll(writes.subList(from, Math.min(writes.size(), from + Protocol.MAX_MULTI_WRITES / 4)));
        }
    }

    private void sendAll(List<RegisterWrite> writes) {
        MemorySegment body = MemorySegment
                .ofArray(new byte[Protocol.MULTI_HEADER_BYTES + writes.size() * Protocol.MULTI_WRITE_BYTES]);
        Fields.put64(body, 0, writes.size());
        int at = Protocol.MULTI_HEADER_BYTES;
        for (RegisterWrite write : writes) {
            head(body, at, write.offset(), write.widthBytes());
            Fields.put(body, at + 16, write.widthBytes(), write.value());
            at += Protocol.MULTI_WRITE_BYTES;
        }
        send(Protocol.REGION_WRITE_MULTI, body, MemorySegment.NULL, connection.options().postedWrites());
    }

    private boolean readPart(long offset, MemorySegment into) {
        MemorySegment head = MemorySegment.ofArray(new byte[Protocol.REGION_ACCESS_BYTES]);
        head(head, 0, offset, (int) into.byteSize());
        String step = "read region " + region;
        Message reply;
        try {
            reply = connection.exchange(step, Protocol.REGION_READ, head, MemorySegment.NULL, List.of());
        } catch (Disconnected e) {
            return false;
        }
        try {
            if (reply.bodyBytes != Protocol.REGION_ACCESS_BYTES + into.byteSize() || reply.get64(0) != offset
                    || reply.get32(8) != region || reply.get32(12) != into.byteSize()) {
                throw connection.malformed(step, "the reply is about something else");
            }
            into.copyFrom(reply.body().asSlice(Protocol.REGION_ACCESS_BYTES));
            return true;
        } finally {
            connection.recycle(reply);
        }
    }

    private void writePart(long offset, MemorySegment data, boolean posted) {
        MemorySegment head = MemorySegment.ofArray(new byte[Protocol.REGION_ACCESS_BYTES]);
        head(head, 0, offset, (int) data.byteSize());
        send(Protocol.REGION_WRITE, head, data, posted);
    }

    private void send(int command, MemorySegment head, MemorySegment data, boolean posted) {
        try {
            if (posted) {
                connection.post(command, head, data);
            } else {
                connection.recycle(
                        connection.exchange("write region " + region, command, head, data, List.of()));
            }
        } catch (Disconnected e) {
            // a device that is gone swallows writes
        }
    }

    private void head(MemorySegment to, int at, long offset, int count) {
        Fields.put64(to, at, offset);
        Fields.put32(to, at + 8, region);
        Fields.put32(to, at + 12, count);
    }

    private void checkRange(long offset, long bytes) {
        ensureOpen();
        if (offset < 0 || bytes <= 0 || offset > sizeBytes - bytes) {
            throw new IndexOutOfBoundsException("offset " + offset + " with " + bytes
                    + " bytes lies outside of region " + region + " of " + sizeBytes + " bytes");
        }
    }

    private void ensureOpen() {
        if (connection.isClosed()) {
            throw new IllegalStateException(connection + " is closed");
        }
    }
}
