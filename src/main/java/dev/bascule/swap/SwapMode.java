package dev.bascule.swap;

import dev.bascule.ffi.NearestWord;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** When an offer is made, and what a promise may hold. */
public enum SwapMode {
    /** Late binding: the agent decides when the CPU asks, and the CPU waits. */
    SWAP0,
    /** Ahead of need: the next decision is exchanged while the present one runs, and lies in custody. */
    SWAP1,
    /** Several decisions, made on a snapshot without any lease, in one exchange; the host answers each by itself. */
    SWAP_END,
    /** The exchange on one word that both ends compare-and-swap: coherent memory only. The agent may withdraw. */
    ONE_WORD;

    private static final SwapMode[] VALUES = values();

    /** The name as users write it: {@code swap-end}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All names. */
    public static List<String> texts() {
        return Stream.of(VALUES).map(SwapMode::text).toList();
    }

    /**
     * The mode of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static SwapMode of(String text) {
        return Stream.of(VALUES).filter(mode -> mode.text().equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(NearestWord.none("swap mode", text, texts())));
    }

    static SwapMode ofCode(int code) {
        return VALUES[code % VALUES.length];
    }

    /** Whether the host offers as soon as the last decision is settled. */
    boolean isAhead() {
        return this != SWAP0;
    }

    /** Decisions that one exchange may carry, when {@code staged} may wait at the agent. */
    int batch(int staged) {
        return this == SWAP_END ? Math.min(staged, OutcomeBits.MOST) : 1;
    }
}
