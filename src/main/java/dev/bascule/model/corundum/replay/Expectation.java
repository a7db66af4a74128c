package dev.bascule.model.corundum.replay;

import dev.bascule.model.corundum.replay.Action.Kind;
import dev.bascule.model.replay.HexPattern;
import dev.bascule.model.replay.VectorLine;

/** Action of the device that a line of a vector file expects. */
final class Expectation {
    /** For kinds whose lines do not say the queue. */
    static final int ANY_STREAM = -1;
    private static final int SOURCE_FROM = 2;
    private static final int SOURCE_TO = 4;
    private static final int MAX_NUMBER = 0xFFFF;
    private static final HexPattern NO_DATA = HexPattern.parse("");

    final int line;
    final Kind kind;
    final int stream;
    /** Whether the source CQ is exact only within the set of such events of the same run. */
    final boolean permutable;
    private final long address;
    private final int lengthBytes;
    private final HexPattern data;

    private Expectation(VectorLine line, Kind kind, int stream, long address, int lengthBytes, HexPattern data) {
        this.line = line.number();
        this.kind = kind;
        this.stream = stream;
        permutable = line.flag("sources_permutable", false);
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.data = data;
    }

    static Expectation of(VectorLine line) {
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
            case "tx_desc", "rx_desc" ->
                new Expectation(line, kind.equals("tx_desc") ? Kind.TX_DESCRIPTOR : Kind.RX_DESCRIPTOR,
                        small(line, "queue"), address, line.number("len", 0, MAX_NUMBER), NO_DATA);
            case "tx_data" -> new Expectation(line, Kind.TX_DATA, ANY_STREAM, address,
                    line.number("len16", 0, 2 * MAX_NUMBER), NO_DATA);
            default -> throw line.wrong("kind", "is '" + kind + "', which this format does not have");
        };
    }

    private static Expectation ofWrite(VectorLine line) {
        String kind = line.text("kind");
        long address = line.number("addr");
        HexPattern data = line.hex("hex");
        return switch (kind) {
            case "rx_data" -> new Expectation(line, Kind.RX_DATA, ANY_STREAM, address, 0, data);
            case "completion" -> new Expectation(line, Kind.COMPLETION, small(line, "queue"), address, 0, data);
            case "event" -> new Expectation(line, Kind.EVENT, small(line, "queue"), address, 0, data);
            default -> throw line.wrong("kind", "is '" + kind + "', which this format does not have");
        };
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
            case TX_DATA -> lengthBytes == action.lengthTo16();
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
        return length >= SOURCE_TO && data.slice(0, SOURCE_FROM).firstDifference(actual, 0) < 0
                && data.slice(SOURCE_TO, length).firstDifference(actual, SOURCE_TO) < 0;
    }

    /** The source CQ of an event. */
    int source() {
        return source(data.bytes());
    }

    static int source(byte[] event) {
        return event[SOURCE_FROM] & 0xFF | (event[SOURCE_FROM + 1] & 0xFF) << 8;
    }

    @Override
    public String toString() {
        String what = kind.words + (stream == ANY_STREAM ? "" : " " + stream);
        return switch (kind) {
            case TX_DESCRIPTOR, RX_DESCRIPTOR -> what + " at 0x%x, %d bytes".formatted(address, lengthBytes);
            case TX_DATA -> what + " at 0x%x, %d bytes to the end of the word".formatted(address, lengthBytes);
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
