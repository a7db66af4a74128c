package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentException;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CounterPageTest {
    @TempDir
    private Path directory = Path.of("");

    private Path file() {
        return directory.resolve(CounterPage.FILE);
    }

    private void patch(long offset, long value) throws IOException {
        try (RandomAccessFile raw = new RandomAccessFile(file().toFile(), "rw")) {
            raw.seek(offset);
            raw.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
        }
    }

    @Test
    void everyCounterHasASlotOfItsOwn() {
        try (CounterPage page = CounterPage.create(directory, "wave");
                CounterReader reader = CounterReader.open(directory)) {
            for (Counter counter : Counter.values()) {
                assertThat(reader.get(counter)).as(counter.label()).isZero();
                page.set(counter, 1000L + counter.ordinal());
            }
            for (Counter counter : Counter.values()) {
                assertThat(reader.get(counter)).as(counter.label()).isEqualTo(1000L + counter.ordinal());
            }
        }
    }

    @Test
    void theHeaderSaysWhoCountsWhat() {
        long before = System.currentTimeMillis();
        try (CounterPage page = CounterPage.create(directory, "on-host");
                CounterReader reader = CounterReader.open(directory)) {
            page.set(Counter.CPUS, 1);
            assertThat(reader.name()).isEqualTo("on-host");
            assertThat(reader.pid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(reader.isWriterAlive()).isTrue();
            assertThat(reader.startMillis()).isBetween(before, System.currentTimeMillis());
            assertThat(reader.file()).isEqualTo(file());
        }
    }

    @Test
    void longAndOddNamesAreCutAndMadePrintable() throws IOException {
        try (CounterPage page = CounterPage.create(directory, "a-name-of-more-than-sixteen")) {
            page.set(Counter.CPUS, 1);
            patch(CounterPage.AT_NAME, 0x1b_41_41_41_41_41_41_41L);
            try (CounterReader reader = CounterReader.open(directory)) {
                assertThat(reader.name()).isEqualTo("AAAAAAA?f-more-t");
            }
        }
    }

    @Test
    void theNumbersOfALiveHostAreSetTogether() {
        try (CounterPage page = CounterPage.create(directory, "x");
                CounterReader reader = CounterReader.open(directory)) {
            page.set(new LiveCounters(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
            assertThat(List.of(Counter.SWITCHES, Counter.BUSY_NANOS, Counter.LOCAL_DECISIONS, Counter.FENCES,
                    Counter.REQUESTS_REJECTED, Counter.JOBS_FAILED, Counter.PREEMPTIONS, Counter.PRESTAGE_HITS,
                    Counter.OVERFLOWS)).extracting(reader::get).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        }
    }

    @Test
    void decisionsAreCountedAndPassedOn() {
        List<Outcome> passed = new ArrayList<>();
        try (CounterPage page = CounterPage.create(directory, "x");
                CounterReader reader = CounterReader.open(directory)) {
            DecisionListener listener = page.counting((decision, outcome, nanos) -> passed.add(outcome));
            for (Outcome outcome : Outcome.values()) {
                listener.settled(new Transaction(), outcome, 1);
            }
            assertThat(passed).containsExactly(Outcome.values());
            assertThat(reader.get(Counter.DECISIONS)).isEqualTo(16);
            assertThat(reader.get(Counter.STALE)).isEqualTo(5);
            assertThat(reader.get(Counter.ABORTED)).isEqualTo(3);
        }
    }

    @Test
    void aNewHostInTheSameDirectoryStartsAtZeroAndLeavesTheOldPageAlone() {
        try (CounterPage first = CounterPage.create(directory, "first");
                CounterReader old = CounterReader.open(directory)) {
            first.set(Counter.FENCES, 7);
            try (CounterPage second = CounterPage.create(directory, "second");
                    CounterReader now = CounterReader.open(directory)) {
                assertThat(now.get(Counter.FENCES)).isZero();
                second.set(Counter.FENCES, 1);
                assertThat(now.get(Counter.FENCES)).isEqualTo(1);
                assertThat(old.get(Counter.FENCES)).isEqualTo(7);
            }
        }
    }

    @Test
    void decisionsThatSeveralCpusSettleAtOnceAreAllCountedAndNeverTooMany() throws Exception {
        int cpus = 3;
        int decisions = 50_000;
        try (CounterPage page = CounterPage.create(directory, "x");
                CounterReader reader = CounterReader.open(directory)) {
            DecisionListener listener = page.counting((decision, outcome, nanos) -> {});
            Together together = new Together(cpus + 1);
            for (int cpu = 0; cpu < cpus; cpu++) {
                together.start(() -> {
                    Transaction decision = new Transaction();
                    for (int i = 0; i < decisions; i++) {
                        listener.settled(decision, Outcome.TARGET_STALE, 1);
                    }
                });
            }
            together.start(() -> {
                long last = 0;
                while (last < (long) cpus * decisions && together.isWell()) {
                    long stale = reader.get(Counter.STALE);
                    long now = reader.get(Counter.DECISIONS);
                    assertThat(now).isBetween(Math.max(last, stale), (long) cpus * decisions);
                    last = now;
                }
            });
            together.join();
            assertThat(reader.get(Counter.DECISIONS)).isEqualTo((long) cpus * decisions);
            assertThat(reader.get(Counter.STALE)).isEqualTo((long) cpus * decisions);
        }
    }

    @Test
    void whoOpensThePageWhileItsHostStartsSeesAWholeHeaderOrNone() throws Exception {
        for (int round = 0; round < 50; round++) {
            Files.deleteIfExists(file());
            Together together = new Together(2);
            together.start(() -> CounterPage.create(directory, "on-host").close());
            together.start(() -> {
                try (CounterReader reader = openWhenItIsThere()) {
                    assertThat(reader.name()).isEqualTo("on-host");
                    assertThat(reader.pid()).isEqualTo(ProcessHandle.current().pid());
                    assertThat(reader.startMillis()).isPositive();
                }
            });
            together.join();
        }
    }

    private CounterReader openWhenItIsThere() {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (true) {
            try {
                return CounterReader.open(directory);
            } catch (AgentException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
            }
        }
    }

    @Test
    void aDirectoryWithoutAPageIsRefusedWithARemedy() {
        assertThatThrownBy(() -> CounterReader.open(directory)).isInstanceOf(AgentException.class)
                .hasMessageContaining(file().toString()).hasMessageContaining("ENOENT")
                .hasMessageContaining("--attach");
    }

    @Test
    void aPageOfAnotherSizeIsRefused() throws IOException {
        Files.write(file(), new byte[100]);
        assertThatThrownBy(() -> CounterReader.open(directory)).isInstanceOf(AgentException.class)
                .hasMessageContaining("has 100 bytes, expected 4096");
    }

    @Test
    void aPageWithoutTheMagicNumberIsRefused() throws IOException {
        Files.write(file(), new byte[CounterPage.PAGE_BYTES]);
        assertThatThrownBy(() -> CounterReader.open(directory)).isInstanceOf(AgentException.class)
                .hasMessageContaining("no counter page");
    }

    @Test
    void anotherVersionAndSenselessSizesAreRefused() throws IOException {
        CounterPage.create(directory, "x").close();
        patch(CounterPage.AT_LAYOUT, 14L << 32 | 2);
        assertThatThrownBy(() -> CounterReader.open(directory)).hasMessageContaining("layout version 2")
                .hasMessageContaining("reads version 1");
        patch(CounterPage.AT_LAYOUT, 1_000_000L << 32 | 1);
        assertThatThrownBy(() -> CounterReader.open(directory)).hasMessageContaining("with 1000000 counters");
        patch(CounterPage.AT_LAYOUT, 1);
        assertThatThrownBy(() -> CounterReader.open(directory)).hasMessageContaining("with 0 counters");
    }

    @Test
    void countersThatAnOlderWriterDoesNotKnowAreZero() throws IOException {
        try (CounterPage page = CounterPage.create(directory, "x")) {
            page.set(Counter.BUSY_NANOS, 5);
            page.set(Counter.CPUS, 2);
            patch(CounterPage.AT_LAYOUT, 1L << 32 | 1);
            try (CounterReader reader = CounterReader.open(directory)) {
                assertThat(reader.has(Counter.CPUS)).isTrue();
                assertThat(reader.get(Counter.CPUS)).isEqualTo(2);
                assertThat(reader.has(Counter.BUSY_NANOS)).isFalse();
                assertThat(reader.get(Counter.BUSY_NANOS)).isZero();
            }
        }
    }

    @Test
    void aProcessIdThatWasUsedAgainIsNotTheWriter() throws IOException {
        try (CounterPage page = CounterPage.create(directory, "x")) {
            page.set(Counter.CPUS, 1);
            patch(CounterPage.AT_PROCESS_START, 1_000_000L);
            try (CounterReader reader = CounterReader.open(directory)) {
                assertThat(reader.isWriterAlive()).isFalse();
            }
        }
    }

    @Test
    void aProcessIdThatCannotBeIsNotAlive() throws IOException {
        CounterPage.create(directory, "x").close();
        patch(CounterPage.AT_PID, -5);
        try (CounterReader reader = CounterReader.open(directory)) {
            assertThat(reader.isWriterAlive()).isFalse();
        }
    }

    @Test
    void useAfterCloseIsAnException() {
        CounterPage page = CounterPage.create(directory, "x");
        page.close();
        page.close();
        assertThatThrownBy(() -> page.set(Counter.CPUS, 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void settingAllocatesNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (CounterPage page = CounterPage.create(directory, "x")) {
            DecisionListener listener = page.counting(DecisionListener.NONE);
            Transaction decision = new Transaction();
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 20; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 20_000; i++) {
                    page.set(Counter.SWITCHES, i);
                    listener.settled(decision, Outcome.COMPLETE, i);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least).isLessThan(1000); // of 40,000 calls
        }
    }
}
