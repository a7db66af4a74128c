package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.FakeVerbs;
import dev.bascule.memory.Window;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two copies of a region over verbs that do whatever the specification allows. */
@Tag("heavy")
class MirrorLinkTest {
    private static final long SEED = 19;
    private static final int LINE = 64;

    @TempDir
    private Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private MirrorPair pair;

    @BeforeEach
    void open() {
        pair = new MirrorPair(FakeVerbs.beside(SEED), folder);
    }

    @AfterEach
    void close() {
        pair.close();
        assertThat(pair.verbs.open()).as("handles not given back").isZero();
    }

    @Test
    void whatIsFencedArrivesAndWhatIsNotStaysHome() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            MirrorHost.Windows host = pair.host.windows();
            Window there = agent.nicMemory();
            host.nic().storeRelease(64, 7);
            assertThat(host.nic().loadAcquire(64)).as("at home at once").isEqualTo(7);
            host.hostMemory().storeRelease(0, 8);
            host.hostMemory().writeFence(); // of any window of the thread
            MirrorPair.awaitWord(there, 64, 7);
            MirrorPair.awaitWord(agent.hostMemory(), 0, 8);
            host.nic().storeRelease(72, 9);
            host.hostMemory().storeRelease(8, 10);
            MirrorHost.Windows another = pair.host.windows();
            another.nic().storeRelease(128, 1);
            another.nic().writeFence();
            MirrorPair.awaitWord(there, 128, 1);
            assertThat(there.loadAcquire(72)).as("another thread's fence is not this one's").isZero();
            agent.nicMemory().storeRelease(192, 11);
            agent.hostMemory().writeFence();
            MirrorPair.awaitWord(host.nic(), 192, 11);
        }
    }

    @Test
    void anAgentThatComesFindsAllThatWasStoredBeforeAndNothingOfTheHostsOwn() throws Exception {
        MirrorHost.Windows host = pair.host.windows();
        for (long offset = 0; offset < host.nic().sizeBytes(); offset += 8) {
            host.nic().storeRelease(offset, offset + 1);
        }
        host.nic().writeFence(); // to nobody
        long hostPrivate = MirrorPair.SIZES.sharedBytes();
        host.hostMemory().storeRelease(hostPrivate - 8, 5);
        host.hostMemory().storeRelease(hostPrivate, 6);
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Window nic = agent.nicMemory();
            for (long offset = 0; offset < nic.sizeBytes(); offset += 8) {
                assertThat(nic.loadAcquire(offset)).isEqualTo(offset + 1);
            }
            assertThat(agent.hostMemory().loadAcquire(hostPrivate - 8)).isEqualTo(5);
            assertThat(agent.hostMemory().loadAcquire(hostPrivate)).as("the host's own").isZero();
        }
    }

    @Test
    void anAgentThatComesWhileTheHostStoresMissesNothing() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch stores = new CountDownLatch(2);
        Thread[] cpus = new Thread[2];
        for (int cpu = 0; cpu < cpus.length; cpu++) {
            Window nic = pair.host.windows().nic();
            long start = cpu * 4096L;
            cpus[cpu] = Thread.ofPlatform().start(() -> {
                for (long value = 1; !stop.get(); value++) {
                    nic.storeRelease(start + value % 512 * 8, value);
                    nic.writeFence();
                    stores.countDown();
                }
            });
        }
        stores.await();
        for (int round = 0; round < 5; round++) {
            try (MirrorAgent agent = pair.agent("agent" + round + ".mem", () -> {})) {
                Window nic = agent.nicMemory();
                Window host = pair.host.windows().nic();
                if (round == 4) {
                    stop.set(true);
                    for (Thread cpu : cpus) {
                        cpu.join();
                    }
                    for (long offset = 0; offset < 2 * 4096; offset += 8) {
                        MirrorPair.awaitWord(nic, offset, host.loadAcquire(offset));
                    }
                }
            }
        }
    }

    @Test
    void whatALaterFenceBroughtIsNeverThereBeforeWhatAnEarlierOneBrought() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Window there = agent.nicMemory();
            Window nic = pair.host.windows().nic();
            AtomicReference<AssertionError> failure = new AtomicReference<>();
            int rounds = 300;
            Thread reader = Thread.ofPlatform().start(() -> {
                long counter = 0;
                while (counter < rounds && failure.get() == null) {
                    counter = there.loadAcquire(0);
                    for (int line = 1; line <= 9; line++) {
                        long word = there.loadAcquire(line * LINE + line % 8 * 8L);
                        if (word < counter) {
                            failure.set(new AssertionError("counter " + counter + ", line " + line + " has " + word));
                        }
                    }
                }
            });
            long[] line = new long[8];
            for (long round = 1; round <= rounds; round++) {
                java.util.Arrays.fill(line, round);
                for (int i = 1; i <= 9; i++) {
                    nic.storeLine((long) i * LINE, line, 0);
                }
                nic.writeFence();
                nic.storeRelease(0, round);
                nic.writeFence();
            }
            reader.join();
            assertThat(failure.get()).isNull();
        }
    }

    /** The handshake of a CPU that goes to sleep and an agent that decides for it. */
    @Test
    void ofTwoThatStoreAndThenLookOneSeesTheOther() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Window hostNic = pair.host.windows().nic();
            Window agentNic = agent.nicMemory();
            long flag = 0;
            long slot = 64;
            int missed = 0;
            Random random = new Random(SEED);
            for (long round = 1; round <= 200; round++) {
                long now = round;
                CountDownLatch ready = new CountDownLatch(2);
                boolean[] seen = new boolean[2];
                int delay = random.nextInt(200);
                Thread decides = Thread.ofPlatform().start(() -> {
                    ready.countDown();
                    for (int i = 0; i < delay || ready.getCount() > 0; i++) {
                        Thread.onSpinWait();
                    }
                    agentNic.storeRelease(slot, now);
                    agentNic.writeFence();
                    java.lang.invoke.VarHandle.fullFence();
                    seen[0] = agentNic.loadAcquire(flag) == now;
                });
                ready.countDown();
                hostNic.storeRelease(flag, now);
                hostNic.writeFence();
                seen[1] = hostNic.isBehind(slot, 0) || hostNic.loadAcquire(slot) == now;
                decides.join();
                missed += seen[0] || seen[1] ? 0 : 1;
                MirrorPair.awaitWord(hostNic, slot, now);
                MirrorPair.await("nothing under way", () -> !hostNic.isBehind(slot, 0));
            }
            assertThat(missed).as("rounds in which neither saw the other").isZero();
        }
    }

    @Test
    void everyCpuThatWasRungForHearsItAlsoWhenTheHostIsSlow() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Random random = new Random(SEED);
            for (int burst = 0; burst < 20; burst++) {
                java.util.Set<Integer> rung = new java.util.TreeSet<>();
                for (int i = 0; i < 3 * MirrorLink.BELLS; i++) {
                    int cpu = random.nextInt(300);
                    rung.add(cpu);
                    agent.ring(cpu);
                }
                java.util.Set<Integer> heard = new java.util.TreeSet<>();
                MirrorPair.await("all CPUs to hear", () -> {
                    agent.nicMemory().writeFence(); // as in each of an agent's rounds
                    for (Integer cpu = pair.bells.poll(); cpu != null; cpu = pair.bells.poll()) {
                        heard.add(cpu);
                    }
                    return heard.containsAll(rung); // one that was rung for twice may hear it in the next burst
                });
            }
            assertThat(pair.host.links()).isEqualTo(1);
        }
    }

    @Test
    void aBellComesBehindWhatWasStoredBeforeIt() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Window nic = pair.host.windows().nic();
            for (int round = 1; round <= 100; round++) {
                agent.nicMemory().storeRelease(64, round);
                agent.nicMemory().writeFence();
                agent.ring(round);
                MirrorPair.await("a bell", () -> !pair.bells.isEmpty());
                assertThat(pair.bells.remove()).isEqualTo(round);
                assertThat(nic.loadAcquire(64)).isEqualTo(round);
            }
        }
    }

    @Test
    void aCutLinkIsNoticedByBothAndComesBack() throws Exception {
        try (ServerSocket listener = MirrorPair.listen()) {
            CountDownLatch lost = new CountDownLatch(1);
            MirrorAgent agent = pair.agent(listener, "agent.mem", lost::countDown);
            MirrorHost.Windows host = pair.host.windows();
            MirrorPair.await("a link", () -> pair.host.links() == 1);
            pair.verbs.cut(true);
            host.nic().storeRelease(0, 1);
            host.nic().writeFence();
            agent.nicMemory().storeRelease(64, 2);
            agent.nicMemory().writeFence();
            MirrorPair.await("the host to notice", () -> { // a host that stores something each millisecond
                host.nic().storeRelease(0, 1);
                host.nic().writeFence();
                return pair.host.links() == 0 || lost.getCount() == 0;
            });
            lost.await();
            assertThat(host.nic().loadAcquire(64)).as("what was under way").isZero();
            host.nic().storeRelease(8, 3);
            host.nic().writeFence(); // nobody is there, and nothing waits
            agent.close();
            pair.verbs.cut(false);
            try (MirrorAgent again = pair.answer(listener, "agent.mem", () -> {})) {
                assertThat(again.nicMemory().loadAcquire(0)).isEqualTo(1);
                assertThat(again.nicMemory().loadAcquire(8)).isEqualTo(3);
                assertThat(again.nicMemory().loadAcquire(64)).as("the host's copy is the one that counts").isZero();
                assertThat(pair.said).anyMatch(line -> line.startsWith("lost the link with nic"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 4 })
    void aStalledLinkOfTheLastAgentStopsNobodyElse(int several) throws Exception {
        List<MirrorAgent> agents = new ArrayList<>();
        try {
            for (int i = 0; i < several; i++) {
                agents.add(pair.agent(i));
            }
            MirrorPair.await("all links", () -> pair.host.links() == several);
            pair.verbs.stallNewest();
            long rounds = 1_500; // more than the send queue takes
            Thread[] cpus = new Thread[several];
            for (int cpu = 0; cpu < several; cpu++) {
                Window nic = pair.host.windows().nic();
                long at = 64L * cpu;
                cpus[cpu] = Thread.ofPlatform().start(() -> {
                    for (long round = 1; round <= rounds / several; round++) {
                        nic.storeRelease(at, round);
                        nic.writeFence();
                    }
                });
            }
            for (Thread cpu : cpus) {
                cpu.join();
            }
            for (int cpu = 0; cpu < several; cpu++) {
                for (MirrorAgent agent : agents.subList(0, several - 1)) {
                    MirrorPair.awaitWord(agent.nicMemory(), 64L * cpu, rounds / several);
                }
            }
            assertThat(agents.getLast().nicMemory().loadAcquire(0)).as("of the stalled link").isZero();
            assertThat(pair.host.links()).as("links, none given up").isEqualTo(several);
            Window nic = pair.host.windows().nic();
            for (int round = 0; round < 2 * Backlog.SLOTS; round++) {
                nic.storeRelease(1024, round);
                nic.writeFence();
            }
            MirrorPair.await("the stalled one to be given up", () -> pair.said.stream()
                    .anyMatch(line -> line.startsWith("lost the link") && line.contains("4096 wait for it")));
            for (MirrorAgent agent : agents.subList(0, several - 1)) {
                MirrorPair.awaitWord(agent.nicMemory(), 1024, 2 * Backlog.SLOTS - 1);
            }
        } finally {
            agents.forEach(MirrorAgent::close);
        }
    }

    @Test
    void whatWaitedForRoomArrivesInItsOrderAndWhenNobodyStoresAnyMore() throws Exception {
        try (MirrorAgent agent = pair.agent("agent.mem", () -> {})) {
            Window nic = pair.host.windows().nic();
            Window there = agent.nicMemory();
            int rounds = 3_000;
            synchronized (pair.verbs) { // nothing is carried out
                for (long round = 1; round <= rounds; round++) {
                    nic.storeRelease(round % 64 * 8, round);
                    nic.writeFence();
                }
            }
            long last = 0;
            while (last < rounds) {
                last = there.loadAcquire(rounds % 64 * 8);
                for (long at = 0; at < 64; at++) {
                    assertThat(there.loadAcquire(at * 8)).as("stored before round " + last)
                            .isGreaterThanOrEqualTo(last - 64);
                }
            }
            assertThat(pair.host.links()).isEqualTo(1);
        }
    }

    @Test
    void aPeerThatTakesNothingDoesNotKeepTheHostLongerThanItsLimit() throws Exception {
        FakeVerbs slow = FakeVerbs.beside(SEED);
        try (MirrorPair impatient = new MirrorPair(slow, folder, "other.mem", RdmaOptions.DEFAULT);
                MirrorAgent agent = impatient.agent("agent.mem", () -> {})) {
            Window nic = impatient.host.windows().nic();
            MirrorPair.await("a link", () -> impatient.host.links() == 1);
            synchronized (slow) { // nothing is carried out
                for (int i = 0; i < 20_000; i++) {
                    nic.storeRelease(i % 512 * 8, i);
                    nic.writeFence();
                }
            }
            MirrorPair.await("the host to give it up", () -> impatient.host.links() == 0);
            assertThat(impatient.said).anyMatch(line -> line.contains("the send queue is full")
                    || line.contains("wait for it"));
            assertThat(agent.host()).isEqualTo("host");
        }
        assertThat(slow.open()).isZero();
    }
}
