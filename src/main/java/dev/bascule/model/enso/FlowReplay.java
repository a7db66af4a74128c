package dev.bascule.model.enso;

import dev.bascule.model.replay.VectorLine;
import java.util.function.Consumer;

/** The flow-table part of a recorded run: inserts, and lookups with the hash of seed 0. */
final class FlowReplay {
    private final FlowTable table = new FlowTable();
    private final Consumer<String> differences;

    FlowReplay(Consumer<String> differences) {
        this.differences = differences;
    }

    void insert(VectorLine line) {
        boolean stored = table.insert(address(line, "src_ip"), port(line, "src_port"), address(line, "dst_ip"),
                port(line, "dst_port"), (int) line.number("pipe"));
        compare(line, "insert", line.text("expect"), stored ? "stored" : "lost");
    }

    void lookup(VectorLine line) {
        int sourceIp = address(line, "src_ip");
        int sourcePort = port(line, "src_port");
        int destinationIp = address(line, "dst_ip");
        int destinationPort = port(line, "dst_port");
        int pipe = table.lookup(sourceIp, sourcePort, destinationIp, destinationPort);
        compare(line, "lookup", Long.toString(line.number("expect_pipe")), Integer.toString(pipe));
        if (line.has("expect_hash")) {
            int hash = FlowHash.hash(sourceIp, sourcePort, destinationIp, destinationPort, 0);
            compare(line, "hash", line.text("expect_hash"), "%08x".formatted(hash));
        }
    }

    /** A dotted IPv4 address as a number; {@link IllegalArgumentException} if it is not one. */
    static int address(String dotted) {
        String[] parts = dotted.split("\\.", -1);
        int value = 0;
        for (String part : parts) {
            if (parts.length != 4 || !part.matches("[0-9]{1,3}") || Integer.parseInt(part) > 255) {
                throw new IllegalArgumentException("'" + dotted + "' is not an IPv4 address");
            }
            value = value << 8 | Integer.parseInt(part);
        }
        return value;
    }

    private void compare(VectorLine line, String what, String expected, String actual) {
        if (!expected.equals(actual)) {
            differences
                    .accept("line " + line.number() + ": flow " + what + ": expected " + expected + ", got " + actual);
        }
    }

    private static int address(VectorLine line, String field) {
        try {
            return address(line.text(field));
        } catch (IllegalArgumentException e) {
            throw line.wrong(field, "is not an IPv4 address");
        }
    }

    private static int port(VectorLine line, String field) {
        return line.number(field, 0, 0xFFFF);
    }
}
