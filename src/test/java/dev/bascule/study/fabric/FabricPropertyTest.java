package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random fabrics, graphs and devices: nothing is lost, doubled or led astray, and who misbehaves harms its own streams. */
class FabricPropertyTest {
    private static final int CASES = 400;
    private static final int STREAMS = 12;
    private static final int ITEMS = 24;

    @ParameterizedTest(name = "seeds from {0}")
    @ValueSource(longs = { 1, 1_001, 2_001, 3_001 })
    void everyItemComesOutWhereItsGraphSays(long first) {
        for (long seed = first; seed < first + CASES; seed++) {
            allBehave(seed);
        }
    }

    @ParameterizedTest(name = "seeds from {0}")
    @ValueSource(longs = { 4_001, 5_001, 6_001 })
    void aDeviceThatMisbehavesHarmsItsOwnStreamsOnly(long first) {
        for (long seed = first; seed < first + CASES; seed++) {
            someMisbehave(seed, 1);
        }
    }

    /** New seeds for as long as {@code bascule.fuzzMinutes} says; up to three devices misbehave at once. */
    @Test
    @Tag("fuzz")
    void fabricsOfNewSeedsDoNoHarm() {
        long minutes = Long.getLong("bascule.fuzzMinutes", 1);
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
        long first = ThreadLocalRandom.current().nextLong(1L << 40);
        System.out.println("fuzz of fabrics: seeds from " + first + ", " + minutes + " minutes");
        Fuzzed fuzzed = new Fuzzed();
        long seed = first;
        for (long told = System.nanoTime(); System.nanoTime() - end < 0; seed++) {
            if (System.nanoTime() - told > TimeUnit.MINUTES.toNanos(5)) {
                told = System.nanoTime();
                System.out.println("fuzz of fabrics: green up to seed " + (seed - 1) + "; " + fuzzed);
            }
            fuzzed.add(seed % 3 == 0 ? allBehave(seed) : someMisbehave(seed, 1 + (int) (seed / 3 % 3)));
        }
        System.out.println("fuzz of fabrics: seeds " + first + " to " + (seed - 1) + " green; " + fuzzed);
        assertThat(fuzzed.refused).as("seeds from " + first).containsKeys(Audit.Reason.NO_TARGET,
                Audit.Reason.NOT_OWNER, Audit.Reason.FORBIDDEN, Audit.Reason.NO_CREDIT, Audit.Reason.REMOVED);
    }

    private static final class Fuzzed {
        private final Map<Audit.Reason, Long> refused = new EnumMap<>(Audit.Reason.class);
        private long cases;
        private long items;

        void add(RandomFabric run) {
            cases++;
            run.flows.forEach(flow -> items += flow.pushed);
            run.fabric.audit().counts().forEach((reason, count) -> {
                if (count > 0) {
                    refused.merge(reason, count, Long::sum);
                }
            });
        }

        @Override
        public String toString() {
            return cases + " fabrics, " + items + " items pushed, refused " + refused;
        }
    }

    private static RandomFabric allBehave(long seed) {
        RandomFabric run = new RandomFabric(seed, STREAMS, ITEMS);
        run.pushAll();
        run.fabric.time().run();
        assertThat(run.wrong()).as("seed " + seed).isEmpty();
        for (RandomFabric.Flow flow : run.flows) {
            assertThat(flow.toPush).as("seed " + seed + ", stream " + flow.mark + " never got its credit").isEmpty();
            assertThat(run.missing(flow)).as("seed " + seed).isEmpty();
            assertThat(run.fabric.streams().inside(flow.stream)).as("seed " + seed).isZero();
        }
        return run;
    }

    private static RandomFabric someMisbehave(long seed, int most) {
        RandomFabric run = new RandomFabric(seed, STREAMS, ITEMS);
        run.pushAll();
        Set<StreamPort> bad = new HashSet<>();
        while (bad.size() < most) {
            for (int i = run.random.nextInt(200); i > 0 && run.fabric.time().step();) {
                i--;
            }
            StreamPort next = run.devices.get(run.random.nextInt(run.devices.size()));
            misbehave(run, next);
            bad.add(next);
        }
        run.fabric.time().run();
        assertThat(run.wrong()).as("seed " + seed).isEmpty();
        assertThat(run.hostMemory()).as("seed " + seed + ": host memory, which nobody was granted")
                .containsOnly((byte) 0);
        for (RandomFabric.Flow flow : run.flows) {
            if (bad.stream().noneMatch(flow::touches)) {
                assertThat(flow.toPush).as("seed " + seed + ", stream " + flow.mark).isEmpty();
                assertThat(run.missing(flow)).as("seed " + seed).isEmpty();
            }
        }
        return run;
    }

    private static void misbehave(RandomFabric run, StreamPort bad) {
        switch (run.random.nextInt(4)) {
            case 0 -> bad.stall(true);
            case 1 -> bad.remove();
            case 2 -> flood(run, bad);
            default -> strayWrites(run, bad);
        }
    }

    /** Pushes into its own streams far beyond their credit. */
    private static void flood(RandomFabric run, StreamPort bad) {
        List<RandomFabric.Flow> own = run.flows.stream().filter(flow -> flow.source == bad).toList();
        for (RandomFabric.Flow flow : own) {
            byte[] junk = ByteBuffer.allocate(64).putInt(flow.mark).putInt(RandomFabric.JUNK).array();
            for (int i = 0; i < 100; i++) {
                bad.writeTo(run.fabric.streams().sourceWindow(flow.stream) | Streams.END, junk, 0, junk.length);
            }
        }
    }

    /** Writes into other devices' windows, registers and host memory, and answers that nobody asked for. */
    private static void strayWrites(RandomFabric run, StreamPort bad) {
        byte[] junk = new byte[40];
        for (int i = 0; i < 200; i++) {
            run.random.nextBytes(junk);
            RandomFabric.Flow flow = run.flows.get(run.random.nextInt(run.flows.size()));
            int node = run.random.nextInt(Program.MOST_NODES);
            boolean isOwn = node < flow.program.nodes().size() && flow.program.node(node).port() == bad;
            long address = switch (run.random.nextInt(4)) {
                case 0 -> isOwn ? 0 : run.fabric.streams().window(flow.stream, node) | Streams.END;
                case 1 -> run.rings.getFirst().address(RingPort.RING);
                case 2 -> run.random.nextLong(1L << 16);
                default -> run.random.nextLong() >>> 1 + run.random.nextInt(20) & ~(1L << 60);
            };
            bad.writeTo(address, junk, 0, junk.length);
        }
    }
}
