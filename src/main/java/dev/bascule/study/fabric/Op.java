package dev.bascule.study.fabric;

import org.jspecify.annotations.Nullable;

/**
 * One instruction of a stage. All instructions of an entry see the fields as the one before left them.
 *
 * @param code what it does
 * @param to field that it changes; null if it changes none
 * @param from field that it reads; null if it reads none
 * @param value constant, offset in the item, or node
 * @param widthBytes of an access to the item, 1 to 8
 */
public record Op(Code code, @Nullable Field to, @Nullable Field from, long value, int widthBytes) {
    /** Instructions. */
    public enum Code {
        /** to = value. */
        SET,
        /** to = from. */
        COPY,
        /** to = to + value. */
        ADD,
        /** to = to + from. */
        ADD_FIELD,
        /** to = to &amp; value. */
        AND,
        /** to = big-endian bytes of the item at value. */
        LOAD,
        /** Bytes of the item at value = from, big endian. */
        STORE,
        /** Length of the IPv4 packet at value as the item is long, and its header's checksum. */
        IPV4_LENGTH,
        /** Length of the UDP datagram at value as the item is long, checksum 0 (none). */
        UDP_LENGTH,
        /** A copy of the item goes to node value. */
        EMIT,
        /** The item ends. */
        DROP
    }

    /** to = value. */
    public static Op set(Field to, long value) {
        return new Op(Code.SET, to, null, value, 0);
    }

    /** to = from. */
    public static Op copy(Field to, Field from) {
        return new Op(Code.COPY, to, from, 0, 0);
    }

    /** to = to + value. */
    public static Op add(Field to, long value) {
        return new Op(Code.ADD, to, null, value, 0);
    }

    /** to = to + from. */
    public static Op add(Field to, Field from) {
        return new Op(Code.ADD_FIELD, to, from, 0, 0);
    }

    /** to = to &amp; mask. */
    public static Op and(Field to, long mask) {
        return new Op(Code.AND, to, null, mask, 0);
    }

    /** Loads bytes of the item; 0 if it is too short. */
    public static Op load(Field to, int offset, int widthBytes) {
        return new Op(Code.LOAD, to, null, offset, widthBytes);
    }

    /** Stores bytes into the item; nothing if it is too short. */
    public static Op store(int offset, int widthBytes, Field from) {
        return new Op(Code.STORE, null, from, offset, widthBytes);
    }

    /** An instruction with a number alone. */
    public static Op of(Code code, long value) {
        return new Op(code, null, null, value, 0);
    }

    /** Whether it reads or changes the stream's state. */
    boolean touchesState() {
        return isState(to) || isState(from);
    }

    private static boolean isState(@Nullable Field field) {
        return field != null && field.ordinal() >= Field.STATE0.ordinal() && field.ordinal() <= Field.STATE3.ordinal();
    }

    @Override
    public String toString() {
        String target = to == null ? "" : to.word();
        String source = from == null ? "" : from.word();
        return switch (code) {
            case SET -> target + " = " + value;
            case COPY -> target + " = " + source;
            case ADD -> target + " += " + value;
            case ADD_FIELD -> target + " += " + source;
            case AND -> target + " &= 0x" + Long.toHexString(value);
            case LOAD -> target + " = item[" + value + ", +" + widthBytes + ")";
            case STORE -> "item[" + value + ", +" + widthBytes + ") = " + source;
            case IPV4_LENGTH -> "ipv4 length and checksum at " + value;
            case UDP_LENGTH -> "udp length at " + value;
            case EMIT -> "copy to node " + value;
            case DROP -> "drop";
        };
    }
}
