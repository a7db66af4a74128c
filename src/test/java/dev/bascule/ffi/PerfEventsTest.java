package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.PerfEvents.Event;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class PerfEventsTest {
    private static final int PAGES = 200;

    private static void touchNewPages() {
        try (Arena arena = Arena.ofConfined()) {
            int page = Libc.pageSizeBytes();
            MemorySegment memory = Libc.map(arena, (long) PAGES * page, Linux.PROT_READ | Linux.PROT_WRITE,
                    Linux.MAP_PRIVATE | Linux.MAP_ANONYMOUS, null, 0, "pages to touch");
            for (int i = 0; i < PAGES; i++) {
                memory.set(ValueLayout.JAVA_BYTE, (long) i * page, (byte) 1);
            }
        }
    }

    private static PerfEvents open(Event... events) {
        try {
            return PerfEvents.open(events);
        } catch (NativeException e) {
            assertThat(e.remedy()).contains(e.errno() == Errno.EACCES || e.errno() == Errno.EPERM
                    ? "perf_event_paranoid"
                    : "no such counter");
            return Assumptions.abort(e.getMessage());
        }
    }

    @Test
    void onlyWhatHappensBetweenStartAndStopIsCounted() {
        try (PerfEvents events = open(Event.PAGE_FAULTS)) {
            touchNewPages();
            assertThat(events.counts()).containsExactly(0);
            events.start();
            touchNewPages();
            events.stop();
            long counted = events.counts()[0];
            assertThat(counted).isGreaterThan(0);
            touchNewPages();
            assertThat(events.counts()).containsExactly(counted);
        }
    }

    @Test
    void threadsThatAreStartedMeanwhileAreCountedWithIt() throws InterruptedException {
        try (PerfEvents alone = open(Event.PAGE_FAULTS);
                PerfEvents all = PerfEvents.openWithThreads(Event.PAGE_FAULTS)) {
            alone.start();
            all.start();
            Thread other = Thread.ofPlatform().start(PerfEventsTest::touchNewPages);
            other.join();
            assertThat(all.counts()[0]).isGreaterThan(alone.counts()[0]);
        }
    }

    @Test
    void cachesAreCountedWhereTheMachineDoesSo() {
        try (PerfEvents events = open(Event.L1_LOADS, Event.L1_LOAD_MISSES, Event.CACHE_REFERENCES,
                Event.CACHE_MISSES)) {
            events.start();
            touchNewPages();
            events.stop();
            assertThat(Arrays.stream(events.counts()).boxed()).hasSize(4).allMatch(count -> count >= 0);
        }
    }

    @Test
    void closingTwiceIsHarmless() {
        PerfEvents events = open(Event.PAGE_FAULTS);
        events.close();
        events.close();
        assertThat(events.counts()).isEmpty();
    }
}
