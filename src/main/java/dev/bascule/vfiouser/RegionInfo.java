package dev.bascule.vfiouser;

import dev.bascule.device.Bar;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.FileStatus;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Region as the server describes it.
 *
 * @param index its number
 * @param sizeBytes its length, 0 where the device has none
 * @param mappable areas that may be mapped
 * @param fileOffset where the region starts in the file
 * @param file the file, owned here; null when there is nothing to map
 */
record RegionInfo(int index, long sizeBytes, List<Bar.Area> mappable, long fileOffset, @Nullable Fd file) {
    private static final int MOST_AREAS = 1024;

    /** Asks the server, a second time with more room if the first reply says so. */
    static RegionInfo ask(ClientConnection connection, int index) {
        String step = "ask for region " + index;
        Message reply = request(connection, step, index, Protocol.REGION_INFO_BYTES);
        long needed = Integer.toUnsignedLong(reply.get32(0));
        if (needed <= reply.bodyBytes) {
            return parse(connection, step, index, reply);
        }
        connection.recycle(reply);
        if (needed > Protocol.REGION_INFO_BYTES + Protocol.SPARSE_HEADER_BYTES
                + (long) MOST_AREAS * Protocol.SPARSE_AREA_BYTES) {
            throw connection.malformed(step, "it needs " + needed + " bytes");
        }
        return parse(connection, step, index, request(connection, step, index, (int) needed));
    }

    private static Message request(ClientConnection connection, String step, int index, int room) {
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.REGION_INFO_BYTES]);
        Fields.put32(body, 0, room);
        Fields.put32(body, 8, index);
        Message reply = connection.request(step, Protocol.GET_REGION_INFO, body, MemorySegment.NULL, List.of());
        if (reply.bodyBytes < Protocol.REGION_INFO_BYTES || reply.get32(8) != index) {
            connection.recycle(reply);
            throw connection.malformed(step, "the reply is too short, or about another region");
        }
        return reply;
    }

    private static RegionInfo parse(ClientConnection connection, String step, int index, Message reply) {
        try {
            return read(connection, step, index, reply);
        } finally {
            connection.recycle(reply);
        }
    }

    private static RegionInfo read(ClientConnection connection, String step, int index, Message reply) {
        int flags = reply.get32(4);
        long size = reply.get64(16);
        long fileOffset = reply.get64(24);
        if (size < 0 || size > 1L << 56 || fileOffset < 0) {
            throw connection.malformed(step, "a size of " + Long.toUnsignedString(size));
        }
        boolean mappable = (flags & Protocol.REGION_MAPPABLE) != 0 && size > 0 && reply.descriptors().size() == 1
                && connection.options().sharedMemory();
        List<Bar.Area> areas = mappable ? areas(connection, step, reply, size) : List.of();
        if (mappable) {
            checkFile(connection, step, reply.descriptors().getFirst(), fileOffset, areas);
        }
        return new RegionInfo(index, size, areas, fileOffset, mappable ? reply.takeDescriptors().getFirst() : null);
    }

    /** Touching a mapping beyond the end of its file is fatal. */
    private static void checkFile(ClientConnection connection, String step, Fd file, long fileOffset,
            List<Bar.Area> areas) {
        FileStatus status = file.status();
        for (Bar.Area area : areas) {
            if (status.isRegular() && area.offset() + area.lengthBytes() > status.sizeBytes() - fileOffset) {
                throw connection.malformed(step, "a mappable area that reaches beyond the end of its file");
            }
        }
    }

    void close() {
        if (file != null) {
            file.close();
        }
    }

    private static List<Bar.Area> areas(ClientConnection connection, String step, Message reply, long size) {
        if ((reply.get32(4) & Protocol.REGION_HAS_CAPABILITIES) == 0) {
            return List.of(new Bar.Area(0, size));
        }
        int at = reply.get32(12);
        for (int hops = 0; at != 0; hops++) {
            if (at < Protocol.REGION_INFO_BYTES || at > reply.bodyBytes - 8 || hops > 16) {
                throw connection.malformed(step, "a capability at offset " + Integer.toUnsignedString(at));
            }
            if (Fields.get16(reply.body(), at) == Protocol.SPARSE_MMAP) {
                return sparse(connection, step, reply, at, size);
            }
            at = reply.get32(at + 4);
        }
        return List.of(new Bar.Area(0, size));
    }

    private static List<Bar.Area> sparse(ClientConnection connection, String step, Message reply, int at, long size) {
        int count = at > reply.bodyBytes - Protocol.SPARSE_HEADER_BYTES ? -1 : reply.get32(at + 8);
        int first = at + Protocol.SPARSE_HEADER_BYTES;
        if (count < 0 || count > (reply.bodyBytes - first) / Protocol.SPARSE_AREA_BYTES) {
            throw connection.malformed(step, "mappable areas that are cut off");
        }
        List<Bar.Area> areas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long offset = reply.get64(first + i * Protocol.SPARSE_AREA_BYTES);
            long bytes = reply.get64(first + i * Protocol.SPARSE_AREA_BYTES + 8);
            if (offset < 0 || bytes <= 0 || offset > size - bytes) {
                throw connection.malformed(step, "a mappable area outside of the region");
            }
            areas.add(new Bar.Area(offset, bytes));
        }
        return areas;
    }
}
