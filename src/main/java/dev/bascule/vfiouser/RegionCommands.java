package dev.bascule.vfiouser;

import dev.bascule.device.Bar;
import dev.bascule.device.MappableMemory;
import dev.bascule.ffi.Fd;
import java.lang.foreign.MemorySegment;

/** The commands of a client that concern regions. Used by the session's thread. */
final class RegionCommands {
    private final ServedDevice device;

    RegionCommands(ServedDevice device) {
        this.device = device;
    }

    /** GET_REGION_INFO. A client without room for the capabilities is told how much they need. */
    void info(Message message, Answer answer) throws Refusal {
        message.requireAtLeast(Protocol.REGION_INFO_BYTES);
        long room = Integer.toUnsignedLong(message.get32(0));
        int region = region(message.get32(8));
        if (room < Protocol.REGION_INFO_BYTES) {
            throw Refusal.invalid("argsz " + room);
        }
        long size = device.regionBytes(region);
        int flags = size == 0 ? 0 : Protocol.REGION_READABLE | Protocol.REGION_WRITABLE;
        Bar bar = region < Protocol.BARS ? device.bar(region) : null;
        MappableMemory memory = bar == null ? null : device.model().memory(region);
        if (bar == null || memory == null || !isOffered(bar, memory)) {
            describe(answer.body(Protocol.REGION_INFO_BYTES), Protocol.REGION_INFO_BYTES, flags, region, size, 0);
            return;
        }
        boolean whole = bar.isMappable(0, size);
        int areas = whole ? 0 : bar.mappable().size();
        int full = Protocol.REGION_INFO_BYTES
                + (whole ? 0 : Protocol.SPARSE_HEADER_BYTES + areas * Protocol.SPARSE_AREA_BYTES);
        flags |= Protocol.REGION_MAPPABLE | (whole ? 0 : Protocol.REGION_HAS_CAPABILITIES);
        MemorySegment body = answer.body(room < full ? Protocol.REGION_INFO_BYTES : full);
        describe(body, full, flags, region, size, memory.fileOffset());
        if (!whole) {
            Fields.put32(body, 12, Protocol.REGION_INFO_BYTES); // in the short reply too, as QEMU wants it
        }
        if (room < full) {
            return;
        }
        answer.attach(Fd.adopt(memory.fileDescriptor(), "BAR " + region)); // stays the model's: never closed here
        if (!whole) {
            sparse(body, bar);
        }
    }

    private static void describe(MemorySegment body, int full, int flags, int region, long size, long fileOffset) {
        Fields.put32(body, 0, full);
        Fields.put32(body, 4, flags);
        Fields.put32(body, 8, region);
        Fields.put64(body, 16, size);
        Fields.put64(body, 24, fileOffset);
    }

    private static void sparse(MemorySegment body, Bar bar) {
        int at = Protocol.REGION_INFO_BYTES;
        Fields.put16(body, at, Protocol.SPARSE_MMAP);
        Fields.put16(body, at + 2, 1);
        Fields.put32(body, at + 8, bar.mappable().size());
        at += Protocol.SPARSE_HEADER_BYTES;
        for (Bar.Area area : bar.mappable()) {
            Fields.put64(body, at, area.offset());
            Fields.put64(body, at + 8, area.lengthBytes());
            at += Protocol.SPARSE_AREA_BYTES;
        }
    }

    /** Only whole pages of a file can be mapped by another process. */
    private static boolean isOffered(Bar bar, MappableMemory memory) {
        return memory.fileDescriptor() != MappableMemory.NO_FILE && !bar.mappable().isEmpty()
                && bar.mappable().stream().allMatch(area -> (memory.fileOffset() + area.offset() | area.lengthBytes())
                        % Protocol.PAGE_BYTES == 0);
    }

    /** GET_REGION_IO_FDS: no part of a region takes eventfds. */
    void ioDescriptors(Message message, Answer answer) throws Refusal {
        message.requireAtLeast(16);
        long room = Integer.toUnsignedLong(message.get32(0));
        int region = region(message.get32(8));
        if (room < 16 || message.get32(4) != 0 || message.get32(12) != 0) {
            throw Refusal.invalid("argsz " + room + ", or fields that must be zero");
        }
        MemorySegment body = answer.body(16);
        Fields.put32(body, 0, 16);
        Fields.put32(body, 8, region);
    }

    /** REGION_READ. */
    void read(Message message, Answer answer, long maxBytes) throws Refusal {
        message.requireBody(Protocol.REGION_ACCESS_BYTES);
        int count = checkedCount(message, maxBytes);
        long offset = message.get64(0);
        int region = message.get32(8);
        MemorySegment body = answer.body(Protocol.REGION_ACCESS_BYTES + count);
        echo(body, offset, region, count);
        device.read(region, offset, body.asSlice(Protocol.REGION_ACCESS_BYTES));
    }

    /** REGION_WRITE. */
    void write(Message message, Answer answer, long maxBytes) throws Refusal {
        message.requireAtLeast(Protocol.REGION_ACCESS_BYTES);
        int count = checkedCount(message, maxBytes);
        message.requireBody(Protocol.REGION_ACCESS_BYTES + count);
        long offset = message.get64(0);
        int region = message.get32(8);
        device.write(region, offset, message.body().asSlice(Protocol.REGION_ACCESS_BYTES));
        echo(answer.body(Protocol.REGION_ACCESS_BYTES), offset, region, count);
    }

    private int checkedCount(Message message, long maxBytes) throws Refusal {
        long count = Integer.toUnsignedLong(message.get32(12));
        if (count == 0 || count > maxBytes) {
            throw Refusal.invalid("a transfer of " + count + " bytes; it can be 1 to " + maxBytes);
        }
        checkRange(message.get32(8), message.get64(0), count);
        return (int) count;
    }

    private static void echo(MemorySegment body, long offset, int region, int count) {
        Fields.put64(body, 0, offset);
        Fields.put32(body, 8, region);
        Fields.put32(body, 12, count);
    }

    /** REGION_WRITE_MULTI: all of it is checked before any of it is done. */
    void writeMultiple(Message message, Answer answer) throws Refusal {
        message.requireAtLeast(Protocol.MULTI_HEADER_BYTES);
        long writes = message.get64(0);
        if (writes < 0 || writes > Protocol.MAX_MULTI_WRITES) {
            throw Refusal.invalid(Long.toUnsignedString(writes) + " writes in one message");
        }
        message.requireBody(Protocol.MULTI_HEADER_BYTES + (int) writes * Protocol.MULTI_WRITE_BYTES);
        for (int i = 0; i < writes; i++) {
            int at = Protocol.MULTI_HEADER_BYTES + i * Protocol.MULTI_WRITE_BYTES;
            int count = message.get32(at + 12);
            if (count < 1 || count > Protocol.MULTI_DATA_BYTES) {
                throw Refusal.invalid("a write of " + Integer.toUnsignedLong(count) + " bytes among several");
            }
            checkRange(message.get32(at + 8), message.get64(at), count);
        }
        for (int i = 0; i < writes; i++) {
            int at = Protocol.MULTI_HEADER_BYTES + i * Protocol.MULTI_WRITE_BYTES;
            device.write(message.get32(at + 8), message.get64(at),
                    message.body().asSlice(at + 16, message.get32(at + 12)));
        }
        Fields.put64(answer.body(Protocol.MULTI_HEADER_BYTES), 0, writes);
    }

    private void checkRange(int region, long offset, long count) throws Refusal {
        long size = device.regionBytes(region(region));
        if (offset < 0 || offset > size - count) {
            throw Refusal.invalid("offset " + Long.toUnsignedString(offset) + " + " + count + " of region " + region
                    + " with " + size + " bytes");
        }
    }

    static int region(int index) throws Refusal {
        if (index < 0 || index >= Protocol.REGIONS) {
            throw Refusal.invalid("region " + Integer.toUnsignedLong(index));
        }
        return index;
    }
}
