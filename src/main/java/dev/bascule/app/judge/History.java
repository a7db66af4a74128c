package dev.bascule.app.judge;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;

/** The last operations on a card, for whoever looks for the cause of a fault. One thread. */
final class History {
    private static final int MOST = 12;

    /** One operation and its number since the part began. */
    private record Entry(long number, String operation) {}

    private final ArrayDeque<Entry> control = new ArrayDeque<>();
    private final ArrayDeque<Entry> data = new ArrayDeque<>();
    private long count;

    /** An operation of the control path; bursts of frames do not push it out. */
    void note(String operation) {
        add(control, operation);
    }

    /** A burst sent or polled. */
    void burst(String operation) {
        add(data, operation);
    }

    private void add(ArrayDeque<Entry> last, String operation) {
        if (last.size() == MOST) {
            last.removeFirst();
        }
        last.addLast(new Entry(++count, operation));
    }

    void clear() {
        control.clear();
        data.clear();
        count = 0;
    }

    /** The last of both, in order, with their numbers. */
    List<String> last() {
        return Stream.concat(control.stream(), data.stream()).sorted((a, b) -> Long.compare(a.number(), b.number()))
                .map(one -> one.number() + ". " + one.operation()).toList();
    }
}
