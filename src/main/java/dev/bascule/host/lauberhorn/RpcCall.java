package dev.bascule.host.lauberhorn;

import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A request as its handler sees it: arguments by their place, where the NIC put them; results by their place, and from
 * there to where it takes them. A handler that sets nothing returns nothing.
 * <p>
 * Thread rule: the thread that serves the request, until the handler returns. Reading and writing numbers allocates nothing.
 */
public final class RpcCall {
    private final CallPlace machine;
    private long[] result = new long[16];
    private int fixed;
    private int used;

    RpcCall(CallPlace machine) {
        this.machine = machine;
    }

    void begin() {
        fixed = 0;
        used = 0;
    }

    // ---- arguments -----------------------------------------------------------------------------------------------

    /** Argument {@code place}, from 0: a number, or the reference of a variable value. */
    public long word(int place) {
        return machine.payload(place);
    }

    /** An {@code int}. */
    public int intAt(int place) {
        return (int) machine.payload(place);
    }

    /** A {@code long}. */
    public long longAt(int place) {
        return machine.payload(place);
    }

    /** A {@code boolean}. */
    public boolean booleanAt(int place) {
        return machine.payload(place) != 0;
    }

    /** A {@code float}. */
    public float floatAt(int place) {
        return Float.intBitsToFloat((int) machine.payload(place));
    }

    /** A {@code double}. */
    public double doubleAt(int place) {
        return Double.longBitsToDouble(machine.payload(place));
    }

    /** Bytes of a string or of opaque data. */
    public int bytesAt(int place) {
        return ValueType.bytes(machine.payload(place));
    }

    /** Copies the bytes of a string or of opaque data; returns how many there are. */
    public int copyAt(int place, byte[] into, int offset) {
        long reference = machine.payload(place);
        int bytes = ValueType.bytes(reference);
        int first = ValueType.firstWord(reference);
        for (int i = 0; i < bytes; i++) {
            into[offset + i] = (byte) (machine.payload(first + (i >> 3)) >>> ((i & 7) << 3));
        }
        return bytes;
    }

    /** Opaque data. */
    public byte[] opaqueAt(int place) {
        byte[] bytes = new byte[bytesAt(place)];
        copyAt(place, bytes, 0);
        return bytes;
    }

    /** A string. */
    public String stringAt(int place) {
        return new String(opaqueAt(place), StandardCharsets.UTF_8);
    }

    /** Bytes of all arguments. */
    public int bytes() {
        return machine.bytes();
    }

    /** Word that the service asked to have handed over. */
    public long dataPointer() {
        return machine.dataPointer();
    }

    /** Number of the process that serves; the owner of every request that it gets. */
    public int owner() {
        return machine.owner();
    }

    // ---- results -------------------------------------------------------------------------------------------------

    /**
     * How many parts the result has. To be said first where a part is a string or opaque data and another one follows; else
     * setting a part says so.
     *
     * @throws IllegalStateException if a string or opaque data was set already
     */
    public void parts(int many) {
        if (used > fixed) {
            throw new IllegalStateException("part " + (many - 1) + " of a result of " + fixed
                    + ": say parts(n) before strings and opaque data");
        }
        room(many);
        Arrays.fill(result, Math.min(fixed, many), many, 0);
        fixed = many;
        used = many;
    }

    private void room(int words) {
        if (result.length < words) {
            result = Arrays.copyOf(result, Math.max(words, 2 * result.length));
        }
    }

    /** Sets part {@code place} of the result: a number as its word. */
    public void setWord(int place, long value) {
        if (place >= fixed) {
            parts(place + 1);
        }
        result[place] = value;
    }

    /** An {@code int}. */
    public void setInt(int place, int value) {
        setWord(place, value);
    }

    /** A {@code long}. */
    public void setLong(int place, long value) {
        setWord(place, value);
    }

    /** A {@code boolean}. */
    public void setBoolean(int place, boolean value) {
        setWord(place, value ? 1 : 0);
    }

    /** A {@code float}. */
    public void setFloat(int place, float value) {
        setWord(place, Float.floatToRawIntBits(value) & 0xffff_ffffL);
    }

    /** A {@code double}. */
    public void setDouble(int place, double value) {
        setWord(place, Double.doubleToRawLongBits(value));
    }

    /** Opaque data, or the bytes of a string. */
    public void setOpaque(int place, byte[] from, int offset, int bytes) {
        if (place >= fixed) {
            parts(place + 1);
        }
        room(used + Xdr.words(bytes));
        Xdr.copyIn(from, offset, bytes, result, used);
        result[place] = ValueType.reference(used, bytes);
        used += Xdr.words(bytes);
    }

    /** A string. */
    public void setString(int place, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        setOpaque(place, bytes, 0, bytes.length);
    }

    /** The words of the result, from index 0. */
    long[] result() {
        return result;
    }

    /** How many there are. */
    int resultWords() {
        return used;
    }

    // ---- the machine ---------------------------------------------------------------------------------------------

    /** Where a long handler lets another thread have the core, if one should; returns when it has one again. Cheap else. */
    public void yieldPoint() {
        machine.yieldPoint();
    }

    /** Calls another service and waits for its answer, by an endpoint made for it. */
    public NestedClient client() {
        return machine.client();
    }
}
