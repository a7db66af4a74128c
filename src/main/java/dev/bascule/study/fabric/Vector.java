package dev.bascule.study.fabric;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Vector that the stages work on: the fields of the item that passes them, and its bytes. One for a fabric. */
final class Vector {
    private final long[] fields = new long[Field.COUNT];
    private final int[] copies = new int[Program.MOST_NODES];
    private int copyCount;
    private @Nullable Item item;

    /** The next item; registers are 0. */
    void load(Item next, long[] state, int stateAt) {
        item = next;
        copyCount = 0;
        Arrays.fill(fields, 0);
        fields[Field.NODE.ordinal()] = next.node();
        fields[Field.SEQUENCE.ordinal()] = next.sequence();
        fields[Field.LENGTH.ordinal()] = next.length();
        System.arraycopy(state, stateAt, fields, Field.STATE0.ordinal(), StreamLimits.STATE_WORDS);
    }

    /** The stream's state as the stages left it. */
    void keepState(long[] state, int stateAt) {
        System.arraycopy(fields, Field.STATE0.ordinal(), state, stateAt, StreamLimits.STATE_WORDS);
    }

    long[] fields() {
        return fields;
    }

    int next() {
        return (int) fields[Field.NEXT.ordinal()];
    }

    int copies() {
        return copyCount;
    }

    int copy(int index) {
        return copies[index];
    }

    /** False if the item is to be dropped. */
    boolean apply(Op op) {
        int to = op.to() == null ? 0 : op.to().ordinal();
        long from = op.from() == null ? 0 : fields[op.from().ordinal()];
        switch (op.code()) {
            case SET -> fields[to] = op.value();
            case COPY -> fields[to] = from;
            case ADD -> fields[to] += op.value();
            case ADD_FIELD -> fields[to] += from;
            case AND -> fields[to] &= op.value();
            case LOAD -> fields[to] = theItem().load((int) op.value(), op.widthBytes());
            case STORE -> theItem().store((int) op.value(), op.widthBytes(), from);
            case IPV4_LENGTH -> ipv4((int) op.value());
            case UDP_LENGTH -> {
                theItem().store((int) op.value() + 4, 2, theItem().length() - op.value());
                theItem().store((int) op.value() + 6, 2, 0);
            }
            case EMIT -> copies[copyCount++] = (int) op.value();
            case DROP -> {
                return false;
            }
        }
        return true;
    }

    /** RFC 791: total length at 2, header checksum at 10 over the header's words. */
    private void ipv4(int at) {
        Item packet = theItem();
        int headerBytes = (int) (packet.load(at, 1) & 15) * 4;
        if (headerBytes < 20 || at + headerBytes > packet.length()) {
            return;
        }
        packet.store(at + 2, 2, packet.length() - at);
        packet.store(at + 10, 2, 0);
        long sum = 0;
        for (int i = 0; i < headerBytes; i += 2) {
            sum += packet.load(at + i, 2);
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xffff) + (sum >>> 16);
        }
        packet.store(at + 10, 2, ~sum & 0xffff);
    }

    private Item theItem() {
        Item current = item;
        if (current == null) {
            throw new IllegalStateException("no item in the stages");
        }
        return current;
    }
}
