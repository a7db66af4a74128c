package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.BpfBell;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.RawWords;
import dev.bascule.memory.PinnedMemory;
import org.junit.jupiter.api.Test;

class KernelIdleTest {
    private static final int MOST = 64;
    private static final int LEAST = 4;
    private static final long MARK = 7;
    private static final long LONG_NANOS = 1_000_000;
    private static final long SHORT_NANOS = 1_000;

    private final PinnedMemory agents = PinnedMemory.allocate(Layout.PAGE_BYTES);
    private final KernelPage page = new KernelPage(PinnedMemory.allocate(Layout.PAGE_BYTES), agents);
    private final KernelIdle idle = new KernelIdle(page, bell(), MOST);

    /** Of a file, which is always ready: a sleeper wakes at once. */
    private static BpfBell bell() {
        Fd file = Libc.memfd("bell", 0);
        file.truncate(2L * Libc.pageSizeBytes());
        return new BpfBell(file);
    }

    /** Empty rounds until it sleeps, which its word in the page tells. */
    private int roundsToSleep() {
        idle.idle(1);
        page.setAgents(Layout.AGENTS_SLEEPS, MARK);
        int rounds = 0;
        do {
            idle.idle(0);
            rounds++;
        } while (RawWords.loadAcquire(agents.address() + Layout.AGENTS_SLEEPS) == MARK);
        return rounds;
    }

    @Test
    void itSpinsInVainAsLittleAsItsSleepsAreLong() {
        assertThat(roundsToSleep()).as("at first").isEqualTo(MOST + 1);
        for (int i = 0; i < 8; i++) {
            idle.learn(LONG_NANOS);
        }
        assertThat(roundsToSleep()).as("after long sleeps").isEqualTo(LEAST + 1);
    }

    @Test
    void shortSleepsMakeItSpinAsLongAsItMay() {
        for (int i = 0; i < 8; i++) {
            idle.learn(LONG_NANOS);
        }
        for (int i = 0; i < 8; i++) {
            idle.learn(SHORT_NANOS);
        }
        assertThat(roundsToSleep()).isEqualTo(MOST + 1);
    }

    @Test
    void workMakesItSpinAnew() {
        for (int i = 0; i < MOST; i++) {
            idle.idle(0);
        }
        assertThat(roundsToSleep()).isEqualTo(MOST + 1);
    }
}
