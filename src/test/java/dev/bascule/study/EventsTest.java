package dev.bascule.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class EventsTest {
    private final Events events = new Events();
    private final List<Integer> happened = new ArrayList<>();
    private final IntConsumer again = this::again;

    @Test
    void eventsComeByTimeAndThenInTheOrderInWhichTheyWereAdded() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        List<long[]> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long at = random.nextLong(100);
            events.at(at, happened::add, i);
            all.add(new long[] { at, i });
        }
        all.sort(Comparator.comparingLong(event -> event[0])); // stable
        for (long[] event : all) {
            assertThat(events.step()).as("seed %d", seed).isTrue();
            assertThat(events.now()).as("seed %d", seed).isEqualTo(event[0]);
            assertThat(happened.getLast()).as("seed %d", seed).isEqualTo((int) event[1]);
        }
        assertThat(events.step()).isFalse();
    }

    @Test
    void nothingHappensInThePast() {
        events.at(50, number -> events.at(10, happened::add, 2), 1);
        events.run();
        assertThat(events.now()).isEqualTo(50);
        assertThat(happened).containsExactly(2);
    }

    @Test
    void anEventWithoutANumberHasZero() {
        events.at(1, happened::add);
        events.run();
        assertThat(happened).containsExactly(0);
    }

    @Test
    void eventsDoNotAllocate() {
        com.sun.management.ThreadMXBean threads = ManagementFactory
                .getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        events.at(0, again, 100_000);
        events.run();
        long before = threads.getCurrentThreadAllocatedBytes();
        events.at(0, again, 100_000);
        events.run();
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 100_000.0).as("bytes an event")
                .isLessThan(0.1);
        assertThat(events.now()).isEqualTo(100_000);
    }

    private void again(int number) {
        if (number > 0) {
            events.at(100_000 - number + 1, again, number - 1);
        }
    }
}
