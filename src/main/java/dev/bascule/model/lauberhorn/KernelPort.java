package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.Window;
import org.jspecify.annotations.Nullable;

/** The generic endpoint of a core: its kernel's loads, and what the NIC answers them. Thread rule: the NIC's thread. */
final class KernelPort {
    final int core;
    final NicEndpoint end = NicEndpoint.receive(0);
    private @Nullable NicLines lines;

    KernelPort(int core) {
        this.core = core;
    }

    /** The lines lie here from now on, and a life begins. */
    void attach(Window window, ProcessLayout layout) {
        lines = new NicLines(window, layout.lines(), layout.requests(core), end);
        reset();
    }

    /** Another life begins: the kernel's thread was replaced, or the NIC restarted. */
    void reset() {
        NicLines known = lines;
        if (known != null) {
            known.reset(LineHead.nextEpoch(end.epoch()));
        }
    }

    /** Looks for a load; whether one is held from now on. */
    boolean loads(long nowNanos, long limitNanos) {
        NicLines known = lines;
        return known != null && (known.poll(nowNanos, limitNanos) & NicEndpoint.HOLD) != 0;
    }

    /** Answers a load that was held for as long as it may be; whether it did. */
    boolean tick(long nowNanos, long load) {
        NicLines known = lines;
        return known != null && known.tick(nowNanos, load) != 0;
    }

    /** Answers the held load; whether there is one. */
    boolean fill(int kind, long word2, long load) {
        NicLines known = lines;
        return known != null && known.fill(kind, word2, load) != 0;
    }

    /** Lines that went to the core. */
    long lines() {
        NicLines known = lines;
        return known == null ? 0 : known.linesMoved();
    }
}
