package dev.bascule.swap;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;

/** Production's lines on production's coherent window, in memory of this process. */
final class SharedLines {
    private SharedLines() {}

    static Line line() {
        return lines(1)[0];
    }

    static Line[] lines(int count) {
        Window window = new PinnedWindow(PinnedMemory.allocate((long) count * Window.LINE_BYTES));
        Line[] lines = new Line[count];
        for (int i = 0; i < count; i++) {
            lines[i] = new WindowLine(window, (long) i * Window.LINE_BYTES);
        }
        return lines;
    }
}
