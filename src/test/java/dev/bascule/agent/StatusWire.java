package dev.bascule.agent;

import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.Window;
import java.lang.foreign.Arena;
import java.util.Arrays;

/** Status words as the lines that a host writes, so that tests can carry them from one process to another. */
public final class StatusWire {
    private static final int LINE_WORDS = Window.LINE_BYTES / 8;

    private final StatusTable copy;
    private final Window window;
    private final StatusWord word = new StatusWord();

    /** For tables of this shape. */
    public StatusWire(EnclaveShape shape) {
        window = new DirectWindow(Arena.ofAuto().allocate(StatusTable.sizeBytes(shape), Window.LINE_BYTES));
        copy = new StatusTable(window, 0, shape);
    }

    /** The line of a status word; where the table cannot be read now, a line that no reader accepts. */
    public long[] line(StatusTable table, int task) {
        long[] words = new long[LINE_WORDS];
        if (!table.read(task, word)) {
            Arrays.fill(words, 1);
            return words;
        }
        copy.write(word);
        for (int i = 0; i < LINE_WORDS; i++) {
            words[i] = window.loadAcquire((long) task * Window.LINE_BYTES + i * 8L);
        }
        return words;
    }
}
