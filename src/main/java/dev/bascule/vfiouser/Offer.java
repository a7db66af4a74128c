package dev.bascule.vfiouser;

import dev.bascule.json.Json;
import dev.bascule.json.JsonFormatException;
import dev.bascule.json.JsonReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Offer that one side of a connection makes in its version message. Absent values have the protocol's defaults; unknown
 * names are passed over, so that newer peers are understood.
 *
 * @param minor minor version
 * @param maxDescriptors most descriptors it takes in one message
 * @param maxTransferBytes longest data of one transfer
 * @param maxDmaMaps most DMA mappings at one time
 * @param pageSizes page sizes of DMA mappings, or'ed
 * @param writeMultiple whether it knows REGION_WRITE_MULTI
 * @param clockAt where in the file that comes with a server's reply the page of the device's clock is; {@link #NO_CLOCK}
 */
record Offer(int minor, int maxDescriptors, long maxTransferBytes, long maxDmaMaps, long pageSizes,
        boolean writeMultiple, long clockAt) {
    /** The server has no clock, or does not know of any. */
    static final long NO_CLOCK = -1;

    /** Offer of this implementation, as server and as client. QEMU refuses a server that takes more descriptors. */
    static final Offer OURS = new Offer(Protocol.MINOR, 16, Protocol.DEFAULT_TRANSFER_BYTES,
            MapBudget.OFFERED, Protocol.PAGE_BYTES, true, NO_CLOCK);

    private static final String CLOCK = "bascule_clock";

    /** The body of a version message. */
    static Offer parse(MemorySegment body) throws Refusal {
        if (body.byteSize() < 4) {
            throw Refusal.invalid("a version message of " + body.byteSize() + " bytes");
        }
        int major = Fields.get16(body, 0);
        if (major != Protocol.MAJOR) {
            throw Refusal.invalid("protocol version " + major + "." + Fields.get16(body, 2) + "; known is 0.1");
        }
        return of(Fields.get16(body, 2), objectAt(members(json(body.asSlice(4))), "capabilities"));
    }

    private static Map<?, ?> members(String json) throws Refusal {
        if (json.isEmpty()) {
            return Map.of();
        }
        try {
            if (JsonReader.parse(json) instanceof Map<?, ?> members) {
                return members;
            }
        } catch (JsonFormatException e) {
            throw Refusal.invalid("version data, " + e.reason());
        }
        throw Refusal.invalid("version data that is no JSON object");
    }

    private static String json(MemorySegment text) throws Refusal {
        long bytes = text.byteSize();
        if (bytes == 0) {
            return "";
        }
        if (text.get(ValueLayout.JAVA_BYTE, bytes - 1) != 0) {
            throw Refusal.invalid("version data that does not end with a zero byte");
        }
        try {
            ByteBuffer utf8 = ByteBuffer.wrap(text.asSlice(0, bytes - 1).toArray(ValueLayout.JAVA_BYTE));
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException e) {
            throw Refusal.invalid("version data that is not UTF-8");
        }
    }

    private static Offer of(int minor, Map<?, ?> members) throws Refusal {
        objectAt(members, "migration");
        objectAt(members, "twin_socket");
        long transfer = number(members, "max_data_xfer_size", Protocol.DEFAULT_TRANSFER_BYTES, 1, Long.MAX_VALUE);
        return new Offer(minor, (int) number(members, "max_msg_fds", 1, 0, 65535),
                Math.min(transfer, Protocol.DEFAULT_TRANSFER_BYTES),
                number(members, "max_dma_maps", 65535, 0, Long.MAX_VALUE),
                number(members, "pgsizes", Protocol.PAGE_BYTES, 0, Long.MAX_VALUE),
                truth(members, "write_multiple"), clockAt(members));
    }

    /** A client says true, and a server that has a clock answers where its page is. */
    private static long clockAt(Map<?, ?> members) throws Refusal {
        if (!(members.get(CLOCK) instanceof Map<?, ?>)) {
            return NO_CLOCK;
        }
        long offset = number(objectAt(members, CLOCK), "offset", NO_CLOCK, 0, 1L << 56);
        if (offset % Protocol.PAGE_BYTES != 0) {
            throw Refusal.invalid("capability " + CLOCK + " without an offset that is a multiple of 4096");
        }
        return offset;
    }

    private static Map<?, ?> objectAt(Map<?, ?> members, String name) throws Refusal {
        Object value = members.get(name);
        if (!members.containsKey(name)) {
            return Map.of();
        }
        if (value instanceof Map<?, ?> object) {
            return object;
        }
        throw Refusal.invalid("capability " + name + " that is no object");
    }

    private static long number(Map<?, ?> members, String name, long absent, long least, long most) throws Refusal {
        Object value = members.get(name);
        if (!members.containsKey(name)) {
            return absent;
        }
        if (value instanceof Long number && number >= least && number <= most) {
            return number;
        }
        throw Refusal.invalid("capability " + name + " that is no number from " + least + " to " + most);
    }

    private static boolean truth(Map<?, ?> members, String name) throws Refusal {
        Object value = members.get(name);
        if (!members.containsKey(name)) {
            return false;
        }
        if (value instanceof Boolean truth) {
            return truth;
        }
        throw Refusal.invalid("capability " + name + " that is neither true nor false");
    }

    /** The body by which a client asks for these, and for the device's clock. */
    MemorySegment request() {
        return body(capabilities().put(CLOCK, true));
    }

    /** The body by which a server offers these. */
    MemorySegment body() {
        return body(capabilities());
    }

    private Json.Obj capabilities() {
        Json.Obj capabilities = Json.object().put("max_msg_fds", maxDescriptors)
                .put("max_data_xfer_size", maxTransferBytes).put("max_dma_maps", maxDmaMaps).put("pgsizes", pageSizes);
        if (writeMultiple) {
            capabilities.put("write_multiple", true);
        }
        return capabilities;
    }

    private MemorySegment body(Json.Obj capabilities) {
        byte[] text = Json.object().put("capabilities", capabilities).toString().getBytes(StandardCharsets.UTF_8);
        MemorySegment body = MemorySegment.ofArray(new byte[4 + text.length + 1]);
        Fields.put16(body, 0, Protocol.MAJOR);
        Fields.put16(body, 2, minor);
        MemorySegment.copy(text, 0, body, ValueLayout.JAVA_BYTE, 4, text.length);
        return body;
    }

    /** Answer of this implementation, as server, to a client that offers these. */
    Offer answer() {
        return new Offer(Math.min(minor, OURS.minor), OURS.maxDescriptors, OURS.maxTransferBytes,
                OURS.maxDmaMaps, OURS.pageSizes, writeMultiple, NO_CLOCK);
    }
}
