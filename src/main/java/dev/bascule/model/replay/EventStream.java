package dev.bascule.model.replay;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * One ordered stream of events of a run, recorded and actual. Both sides add as they come; {@link #settle} compares
 * what came since the last time, in order, and forgets it.
 */
public final class EventStream {
    private static final HexPattern NO_DATA = HexPattern.parse("");

    private record Expected(String head, HexPattern data, int line) {}

    @SuppressWarnings("ArrayRecordComponent")
    private record Actual(String head, byte[] data) {}

    private final String name;
    private final ArrayDeque<Expected> expected = new ArrayDeque<>();
    private final ArrayDeque<Actual> actual = new ArrayDeque<>();

    /** A stream called {@code name} in reports. */
    public EventStream(String name) {
        this.name = name;
    }

    /** The record says this event comes; {@code head} is compared as text. */
    public void expect(int line, String head, HexPattern data) {
        expected.add(new Expected(head, data, line));
    }

    /** As above, for an event without data. */
    public void expect(int line, String head) {
        expect(line, head, NO_DATA);
    }

    /** The model did this; the array is kept. */
    public void happened(String head, byte[] data) {
        actual.add(new Actual(head, data));
    }

    /** As above, for an event without data. */
    public void happened(String head) {
        happened(head, NO_DATA.bytes());
    }

    /** Compares; {@code line} is where the run stands. */
    public void settle(int line, Consumer<String> differences) {
        while (!expected.isEmpty() && !actual.isEmpty()) {
            compare(expected.remove(), actual.remove(), differences);
        }
        for (Expected missing : expected) {
            differences.accept("line " + missing.line + ": " + name + ": missing " + missing.head);
        }
        for (Actual surplus : actual) {
            differences.accept("line " + line + ": " + name + ": unexpected " + surplus.head);
        }
        expected.clear();
        actual.clear();
    }

    private void compare(Expected want, Actual got, Consumer<String> differences) {
        String where = "line " + want.line + ": " + name + ": ";
        if (!want.head.equals(got.head)) {
            differences.accept(where + "expected " + want.head + ", got " + got.head);
        } else if (want.data.bytes().length != got.data.length) {
            differences.accept(where + want.head + ": expected " + want.data.bytes().length + " bytes, got "
                    + got.data.length);
        } else {
            int at = want.data.firstDifference(got.data, 0);
            if (at >= 0) {
                differences.accept(where + want.head + ": byte " + at + ": expected %02x, got %02x"
                        .formatted(want.data.bytes()[at], got.data[at]));
            }
        }
    }
}
