package dev.bascule.model.replay;

import dev.bascule.model.replay.Action.Kind;

/** Action of the device that a line of a vector file expects. */
public final class Expectation {
    /** For kinds whose lines do not say the queue. */
    static final int ANY_STREAM = -1;
    private static final int CNDM_EVENT_BYTES = 16;
    private static final int SOURCE_BYTES = 2;
    private static final int PORT_SHIFT = 16;
    private static final int MAX_NUMBER = 0xFFFF;
    private static final HexPattern NO_DATA = HexPattern.parse("");

    final int line;
    final Kind kind;
    final int stream;
    /** Whether the source CQ is exact only within the set of such events of the same run. */
    final boolean permutable;
    private final long address;
    private final int lengthBytes;
    /** Whether one interrupt or more of its vector are meant. */
    final boolean countFree;
    /** Whether the read is compared to the end of its last 16-byte word only. */
    private final boolean wholeWords;
    private final HexPattern data;

    private Expectation(VectorLine line, Kind kind, int stream, long address, int lengthBytes, HexPattern data) {
        this.line = line.number();
        this.kind = kind;
        this.stream = stream;
        permutable = line.flag("sources_permutable", false);
        countFree = line.flag("count_free", false);
        wholeWords = line.has("len16");
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.data = data;
    }

    /**
     * Reads a line.
     *
     * @throws VectorFormatException if it is no expectation, or not a whole one
     */
    public static Expectation of(VectorLine line) {
        return switch (line.op()) {
            case "expect_dma_read" -> ofRead(line);
            case "expect_dma_write" -> ofWrite(line);
            case "expect_wire_packet" ->
                new Expectation(line, Kind.FRAME, small(line, "port"), 0, 0, line.hex("hex"));
            case "expect_irq" -> new Expectation(line, Kind.INTERRUPT, small(line, "vector"), 0, 0, NO_DATA);
            default -> throw line.wrong("op", "is '" + line.op() + "', which this format does not have");
        };
    }

    private static Expectation ofRead(VectorLine line) {
        String kind = line.text("kind");
        long address = line.number("addr");
        return switch (kind) {
            case "tx_desc", "sq_desc", "rx_desc", "rq_desc" ->
                new Expectation(line, isTransmit(kind) ? Kind.TX_DESCRIPTOR : Kind.RX_DESCRIPTOR,
                        queue(line), address, line.number("len", 0, MAX_NUMBER), NO_DATA);
            case "tx_data" -> new Expectation(line, Kind.TX_DATA, ANY_STREAM, address,
                    line.number(line.has("len16") ? "len16" : "len", 0, 2 * MAX_NUMBER), NO_DATA);
            default -> throw line.wrong("kind", "is '" + kind + "', which this format does not have");
        };
    }

    private static Expectation ofWrite(VectorLine line) {
        String kind = line.text("kind");
        long address = line.number("addr");
        HexPattern data = line.hex("hex");
        return switch (kind) {
            case "rx_data" -> new Expectation(line, Kind.RX_DATA, ANY_STREAM, address, 0, data);
            case "completion" -> new Expectation(line, Kind.COMPLETION, queue(line), address, 0, data);
            case "event" -> new Expectation(line, Kind.EVENT, queue(line), address, 0, data);
            default -> throw line.wrong("kind", "is '" + kind + "', which this format does not have");
        };
    }

    private static boolean isTransmit(String kind) {
        return kind.equals("tx_desc") || kind.equals("sq_desc");
    }

    /** Queues are numbered over the device, or in each port. */
    private static int queue(VectorLine line) {
        int queue = small(line, "queue");
        return line.has("port") ? stream(small(line, "port"), queue) : queue;
    }

    /** Stream of a queue of a port, in formats that number queues in each port. */
    public static int stream(int port, int queue) {
        return port << PORT_SHIFT | queue;
    }

    private static int small(VectorLine line, String field) {
        return line.number(field, 0, MAX_NUMBER);
    }

    /** Whether the action is what this line says; the source of a permutable event is not looked at. */
    boolean matches(Action action) {
        if (action.kind() != kind || stream != ANY_STREAM && action.stream() != stream || action.address() != address) {
            return false;
        }
        return switch (kind) {
            case TX_DESCRIPTOR, RX_DESCRIPTOR -> lengthBytes == action.lengthBytes();
            case TX_DATA -> lengthBytes == (wholeWords ? action.lengthTo16() : action.lengthBytes());
            case RX_DATA, FRAME, COMPLETION, EVENT -> dataMatches(action.data());
            case INTERRUPT -> true;
        };
    }

    private boolean dataMatches(byte[] actual) {
        int length = data.bytes().length;
        if (length != actual.length) {
            return false;
        }
        if (!permutable) {
            return data.firstDifference(actual, 0) < 0;
        }
        int from = sourceFrom(length);
        int to = from + SOURCE_BYTES;
        return length >= to && data.slice(0, from).firstDifference(actual, 0) < 0
                && data.slice(to, length).firstDifference(actual, to) < 0;
    }

    /** The source CQ of an event. */
    int source() {
        return source(data.bytes());
    }

    static int source(byte[] event) {
        int from = sourceFrom(event.length);
        return event[from] & 0xFF | (event[from + 1] & 0xFF) << 8;
    }

    /** Corundum's events have 32 bytes, those of cndm 16. */
    private static int sourceFrom(int eventBytes) {
        return eventBytes == CNDM_EVENT_BYTES ? 4 : 2;
    }

    @Override
    public String toString() {
        String what = kind.words + (stream == ANY_STREAM ? "" : " " + stream);
        return switch (kind) {
            case TX_DESCRIPTOR, RX_DESCRIPTOR -> what + " at 0x%x, %d bytes".formatted(address, lengthBytes);
            case TX_DATA -> what + (wholeWords ? " at 0x%x, %d bytes to the end of the word" : " at 0x%x, %d bytes")
                    .formatted(address, lengthBytes);
            case RX_DATA, COMPLETION, EVENT -> what + " at 0x%x: %s".formatted(address, Action.shortHex(text()));
            case FRAME -> what + ": " + Action.shortHex(text());
            case INTERRUPT -> what;
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < data.bytes().length; i++) {
            text.append(digit(data.bytes()[i] >> 4, data.mask()[i] >> 4))
                    .append(digit(data.bytes()[i], data.mask()[i]));
        }
        return text.toString();
    }

    private static char digit(int value, int mask) {
        return (mask & 0xF) == 0 ? 'x' : Character.forDigit(value & 0xF, 16);
    }
}
