package dev.bascule.study.fabric;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Items that come in several writes, by the window they are written to. An item that is refused is swallowed to its end. */
final class Assembler {
    private final int mostBytes;
    private final Map<Long, Part> parts = new HashMap<>();
    private Audit.@Nullable Reason refused;

    /** An item that is not whole yet. */
    private static final class Part {
        private byte[] bytes = new byte[256];
        private int length;
        private Audit.@Nullable Reason refused;
    }

    Assembler(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Whether an item of the window is not whole yet. */
    boolean isBegun(long window) {
        return parts.containsKey(window);
    }

    /**
     * The next bytes.
     *
     * @param reason why an item that begins here is refused; null if it is not
     * @return the whole item; null if more is to come, and if it is refused: {@link #refused} says so at its end
     */
    byte @Nullable [] add(long window, byte[] data, boolean isLast, Audit.@Nullable Reason reason) {
        refused = null;
        Part part = parts.get(window);
        if (part == null && isLast && data.length <= mostBytes) {
            refused = reason;
            return reason == null ? data : null;
        }
        if (part == null) {
            part = new Part();
            part.refused = reason;
            parts.put(window, part);
        }
        if (part.refused == null && part.length + data.length > mostBytes) {
            part.refused = Audit.Reason.TOO_LONG;
        }
        if (part.refused == null) {
            append(part, data);
        }
        if (!isLast) {
            return null;
        }
        parts.remove(window);
        refused = part.refused;
        return refused == null ? Arrays.copyOf(part.bytes, part.length) : null;
    }

    private static void append(Part part, byte[] data) {
        if (part.length + data.length > part.bytes.length) {
            part.bytes = Arrays.copyOf(part.bytes, Math.max(2 * part.bytes.length, part.length + data.length));
        }
        System.arraycopy(data, 0, part.bytes, part.length, data.length);
        part.length += data.length;
    }

    /** Why the item that the last {@link #add} ended was refused; null if it was not, or has not ended. */
    Audit.@Nullable Reason refused() {
        return refused;
    }

    /** The stream is closed. */
    void forget(long window) {
        parts.remove(window);
    }
}
