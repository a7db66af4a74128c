package dev.bascule.workload.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EventsTest {
    @Test
    void eventsComeByTimeAndThenInTheOrderInWhichTheyWereAdded() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Events events = new Events();
        List<long[]> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long at = random.nextLong(100);
            events.add(at, i % 7, i);
            all.add(new long[] { at, i });
        }
        all.sort(Comparator.comparingLong(event -> event[0])); // stable
        for (long[] event : all) {
            assertThat(events.next()).as("seed %d", seed).isTrue();
            assertThat(events.now()).as("seed %d", seed).isEqualTo(event[0]);
            assertThat(events.number()).as("seed %d", seed).isEqualTo((int) event[1]);
            assertThat(events.kind()).isEqualTo((int) event[1] % 7);
        }
        assertThat(events.next()).isFalse();
    }

    @Test
    void nothingHappensInThePast() {
        Events events = new Events();
        events.add(50, 0, 1);
        events.next();
        events.add(10, 0, 2);
        events.next();
        assertThat(events.now()).isEqualTo(50);
        assertThat(events.number()).isEqualTo(2);
    }
}
