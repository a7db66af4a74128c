package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What processes do to the NIC that they should not. */
class BadProcessTest {
    private static final LauberhornConfig MACHINE = LauberhornConfig.DEFAULT.withMachine(1, 2, 1);

    private static SteppedNic nic(LauberhornConfig config) {
        SteppedNic nic = new SteppedNic(config);
        nic.begin(1);
        nic.begin(2);
        return nic;
    }

    /** Process 1 has a request; what it leaves in the line is the test's. */
    private interface Damage {
        void leave(CpuLines thread, Window memory, long line);
    }

    private static void refused(Damage damage) {
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines thread = nic.thread(1, 0);
            long id = nic.send(1, "first");
            nic.step(2);
            assertThat(nic.dispatch(nic.kernel(0), thread)).isEqualTo(LineHead.REQUEST);
            damage.leave(thread, nic.memory(1), nic.layout.requests(0) + MACHINE.lines().control(1));
            thread.announce();
            nic.step(3);
            assertThat(nic.only(id)).isEqualTo(OncRpc.SYSTEM_ERR);
            assertThat(nic.refused(Refusal.BAD_REPLY)).isEqualTo(1);
            long next = nic.send(1, "second");
            nic.step(3);
            assertThat(thread.look()).as("the thread goes on").isEqualTo(LineHead.REQUEST);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(3);
            assertThat(nic.only(next)).isZero();
            nic.settled();
        }
    }

    @Test
    void nothingWritten() {
        refused((thread, memory, line) -> {});
    }

    @Test
    void theWrongLine() {
        refused((thread, memory, line) -> {
            SteppedNic.answer(thread);
            long other = line - MACHINE.lines().lineBytes();
            memory.storeRelease(other, memory.loadAcquire(line));
            memory.storeRelease(line, 0);
        });
    }

    @Test
    void aReplyOfAnotherOwnerLifeOrNumber() {
        for (int bit : new int[] { 0, 31, 32, 47, 48, 55 }) {
            refused((thread, memory, line) -> {
                SteppedNic.answer(thread);
                memory.storeRelease(line, memory.loadAcquire(line) ^ 1L << bit);
            });
        }
    }

    @Test
    void aKindThatIsNoReply() {
        for (int kind : new int[] { 0, LineHead.REQUEST, LineHead.TRY_AGAIN, LineHead.CALL, LineHead.RESET, 0xff }) {
            refused((thread, memory, line) -> {
                SteppedNic.answer(thread);
                memory.storeRelease(line, LineHead.withKind(memory.loadAcquire(line), kind));
            });
        }
    }

    @Test
    void sizesThatNoBufferHas() {
        LineLayout lines = MACHINE.lines();
        for (long size : new long[] { -1, 1L << 31, lines.mostReplyBytes() + 1, 0xffff_ffffL,
                LineLayout.BY_DMA | lines.dmaBytes() + 1, LineLayout.BY_DMA | 1L << 31 }) {
            refused((thread, memory, line) -> {
                SteppedNic.answer(thread);
                memory.storeRelease(line + Long.BYTES, size);
            });
        }
    }

    @Test
    void resultsThatAreNotOfTheSignature() {
        for (long reference : new long[] { -1, Long.MAX_VALUE, ValueType.reference(2, 1_000),
                ValueType.reference(1_000, 1) }) {
            refused((thread, memory, line) -> {
                SteppedNic.answer(thread);
                memory.storeRelease(line + 3L * Long.BYTES, reference);
            });
        }
    }

    @Test
    void aLineThatIsWrittenAgainWhileItIsFetchedBackIsWhatItWas() {
        long fetchNanos = 1_000;
        try (SteppedNic nic = nic(MACHINE.withCosts(new LauberhornConfig.Costs(fetchNanos, fetchNanos, 0, 0)))) {
            CpuLines thread = nic.thread(1, 0);
            long id = nic.send(1, "first");
            nic.step(2);
            assertThat(nic.dispatch(nic.kernel(0), thread)).isEqualTo(LineHead.REQUEST);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(1);
            assertThat(nic.statuses).as("its fetch takes longer").isEmpty();
            Window memory = nic.memory(1);
            long line = nic.layout.requests(0) + MACHINE.lines().control(1);
            for (int word = 0; word < 8; word++) {
                memory.storeRelease(line + (long) word * Long.BYTES, -1);
            }
            nic.pass(2 * fetchNanos);
            assertThat(nic.only(id)).isZero();
            assertThat(nic.results.get(id)).as("the owner that was in it").startsWith(0, 0, 0, 0, 0, 0, 0, 1);
            nic.settled();
        }
    }

    @Test
    void loadsThatCannotComeAreCountedAndChangeNothing() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines thread = nic.thread(1, 0);
            assertThat(nic.number(1, 0)).isZero();
            long first = nic.send(1, "kept");
            nic.step(2);
            nic.dispatch(nic.kernel(0), thread);
            Window memory = nic.memory(1);
            long at = nic.layout.requests(0) + MACHINE.lines().loadWord();
            long good = memory.loadAcquire(at);
            for (int i = 0; i < 1_000; i++) {
                memory.storeRelease(at, random.nextLong());
                nic.pass(10_000);
            }
            nic.pass(2_000_000); // strays are summed up now and then
            assertThat(nic.nic.counters().get(Total.STRAY_LOADS)).as("seed %d", seed).isBetween(990L, 1_000L);
            memory.storeRelease(at, good);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(3);
            assertThat(nic.only(first)).isZero();
            nic.settled();
        }
    }

    @Test
    void aProcessThatNeverLoadsHasItsRequestsRefusedInTime() {
        try (SteppedNic nic = nic(MACHINE)) {
            long[] ids = new long[5];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = nic.send(1, "late " + i);
            }
            nic.step(3);
            nic.kernel(0).announce(); // and is told to run the thread, which never loads
            nic.step(3);
            assertThat(nic.statuses).isEmpty();
            nic.pass(MACHINE.times().queueNanos() + 1);
            for (long id : ids) {
                assertThat(nic.only(id)).isEqualTo(OncRpc.SYSTEM_ERR);
            }
            assertThat(nic.refused(Refusal.TOO_LATE)).isEqualTo(5);
            nic.settled();
        }
    }

    @Test
    void theCoreOfAProcessThatNeverLoadsIsAskedBackForAnother() {
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines kernel = nic.kernel(0);
            nic.send(1, "mine");
            nic.step(3);
            kernel.announce();
            nic.step(3);
            assertThat(kernel.look()).isEqualTo(LineHead.DISPATCH);
            assertThat((int) kernel.word(2)).isEqualTo(nic.number(1, 0));
            long other = nic.send(2, "other");
            nic.pass(20_000_000);
            nic.pass(20_000_000);
            assertThat(nic.interrupts).as("interrupts to core 0").contains(0);
            CpuLines thread = nic.thread(2, 0);
            assertThat(nic.dispatch(kernel, thread)).as("after the kernel took the core").isEqualTo(LineHead.REQUEST);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(3);
            assertThat(nic.only(other)).isZero();
        }
    }

    @Test
    void fullQueuesRefuseWithAnAnswer() {
        try (SteppedNic nic = nic(MACHINE)) {
            for (int i = 0; i < 40; i++) {
                nic.send(1, "many");
            }
            long other = nic.send(2, "another's queue has room");
            nic.step(3);
            assertThat(nic.statuses).hasSize(8).doesNotContainKey(other);
            assertThat(nic.refused(Refusal.QUEUE_FULL)).isEqualTo(8);
            nic.nic.endProcess(1, Refusal.PROCESS_GONE);
            nic.step(1);
            assertThat(nic.statuses).hasSize(40);
            assertThat(nic.refused(Refusal.PROCESS_GONE)).isEqualTo(32);
            nic.nic.endProcess(2, Refusal.PROCESS_GONE);
            nic.step(1);
            nic.settled();
        }
    }

    @Test
    void aStormOfTryAgainsDoesNotKeepARequestBack() {
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines thread = nic.thread(1, 0);
            nic.send(1, "begins");
            nic.step(2);
            nic.dispatch(nic.kernel(0), thread);
            SteppedNic.answer(thread);
            for (int i = 0; i < 1_000; i++) {
                thread.announce();
                nic.step(2);
                assertThat(thread.look()).isEqualTo(0);
                nic.pass(MACHINE.times().tryAgainNanos());
                assertThat(thread.look()).isEqualTo(LineHead.TRY_AGAIN);
            }
            assertThat(nic.nic.counters().get(0, OfCore.TRY_AGAINS)).isEqualTo(1_000);
            long id = nic.send(1, "after the storm");
            thread.announce();
            nic.step(3);
            assertThat(thread.look()).isEqualTo(LineHead.REQUEST);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(3);
            assertThat(nic.only(id)).isZero();
            nic.settled();
        }
    }

    /** A request and RETIRE meet at the core in every order. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2, 3 })
    void aRetireThatRacesWithARequest(int order) {
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines kernel = nic.kernel(0);
            CpuLines thread = nic.thread(1, 0);
            nic.send(1, "begins");
            nic.step(2);
            nic.dispatch(kernel, thread);
            SteppedNic.answer(thread);
            boolean waits = (order & 1) != 0;
            if (waits) {
                thread.announce();
                nic.step(3);
            }
            long id;
            if ((order & 2) != 0) {
                id = nic.send(1, "first");
                nic.nic.dispatch().retire(0, false);
                nic.step(3);
            } else {
                nic.nic.dispatch().retire(0, false);
                id = nic.send(1, "second");
                nic.step(3);
            }
            if (!waits) {
                thread.announce();
                nic.step(3);
            }
            int kind = thread.look();
            if (kind == LineHead.REQUEST) {
                SteppedNic.answer(thread);
                thread.announce();
                nic.step(3);
                kind = thread.look();
            }
            assertThat(kind).isEqualTo(LineHead.YIELD_NOW);
            kernel.announce();
            nic.step(3);
            assertThat(kernel.look()).isEqualTo(LineHead.RETIRE);
            assertThat(nic.nic.dispatch().isRetired(0)).isTrue();
            nic.step(5);
            nic.nic.dispatch().admit(0);
            if (!nic.statuses.containsKey(id)) {
                assertThat(nic.dispatch(kernel, thread)).as("it waited for the core").isEqualTo(LineHead.REQUEST);
                SteppedNic.answer(thread);
                thread.announce();
                nic.step(3);
            }
            assertThat(nic.only(id)).isZero();
            nic.settled();
        }
    }

    @Test
    void aRestartRefusesWhatIsOutAndWhatComesBackOfItIsNoReply() {
        try (SteppedNic nic = nic(MACHINE)) {
            CpuLines thread = nic.thread(1, 0);
            long out = nic.send(1, "out");
            nic.step(2);
            nic.dispatch(nic.kernel(0), thread);
            long queued = nic.send(2, "queued");
            nic.step(2);
            nic.nic.restart();
            nic.step(2);
            assertThat(nic.only(out)).isEqualTo(OncRpc.SYSTEM_ERR);
            assertThat(nic.only(queued)).isEqualTo(OncRpc.SYSTEM_ERR);
            assertThat(nic.refused(Refusal.RESTART)).isEqualTo(2);
            SteppedNic.answer(thread);
            thread.announce();
            nic.step(3);
            assertThat(thread.look()).isEqualTo(CpuLines.LOST);
            CpuLines again = nic.thread(1, 0);
            long id = nic.send(1, "after");
            nic.step(2);
            assertThat(nic.dispatch(nic.kernel(0), again)).isEqualTo(LineHead.REQUEST);
            SteppedNic.answer(again);
            again.announce();
            nic.step(3);
            assertThat(nic.only(id)).isZero();
            nic.settled();
        }
    }

    /**
     * Process 1 writes rubbish all over its memory at all times; process 2 behaves. Nothing of 2 ever lies in 1's memory,
     * each request of 2 is answered right, and each of 1 is answered or refused.
     */
    @Test
    void aHostileNeighbourGetsNothingAndStopsNobody() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(2, 2, 1);
        try (SteppedNic nic = nic(config)) {
            nic.nic.setScheduler(dispatch -> nowNanos -> 0); // process 1 has core 0, process 2 core 1, for good
            nic.nic.dispatch().give(0, nic.number(1, 0), false);
            nic.nic.dispatch().give(1, nic.number(2, 0), false);
            nic.kernel(0).announce();
            nic.kernel(1).announce();
            CpuLines good = nic.thread(2, 0);
            good.announce();
            Window memory = nic.memory(1);
            Hostile bad = new Hostile(memory, nic.layout.requests(0), random);
            int words = (int) (nic.layout.sizeBytes() / Long.BYTES);
            String secret = "secret of process 2";
            long secretWord = word(secret);
            int answered = 0;
            for (int round = 0; round < 2_000; round++) {
                long id = nic.send(2, secret);
                nic.send(1, "for the hostile one");
                nic.step(2);
                bad.act(words);
                assertThat(good.look()).as("seed %d, round %d", seed, round).isEqualTo(LineHead.REQUEST);
                assertThat(good.payload(0)).as("owner, seed %d", seed).isEqualTo(2);
                SteppedNic.answer(good);
                good.announce();
                nic.pass(100_000);
                assertThat(nic.only(id)).as("seed %d", seed).isZero();
                assertThat(Xdr.getInt(nic.results.get(id), 4)).isEqualTo(2);
                answered++;
            }
            for (int i = 0; i < words; i++) {
                assertThat(memory.loadAcquire(i * 8L)).as("a word of the other's, seed %d", seed)
                        .isNotEqualTo(secretWord);
            }
            assertThat(answered).isEqualTo(2_000);
            assertThat(nic.refused(Refusal.BAD_REPLY)).as("replies of the hostile one, seed %d", seed).isPositive();
            nic.nic.endProcess(1, Refusal.PROCESS_GONE);
            nic.step(3);
            nic.settled();
        }
    }

    /** Writes anything anywhere, and keeps its loads in step all the same. */
    private static final class Hostile {
        private final Window memory;
        private final long base;
        private final SplittableRandom random;
        private final int life;
        private int number = 1;

        Hostile(Window memory, long base, SplittableRandom random) {
            this.memory = memory;
            this.base = base;
            this.random = random;
            life = (int) memory.loadAcquire(base + MACHINE.lines().lifeWord());
        }

        void act(int words) {
            long line = base + MACHINE.lines().control(number & 1);
            long head = memory.loadAcquire(line);
            boolean isAnswered = LineHead.withKind(head, 0) == LineHead.of(0, life, 1, number);
            for (int i = 0; i < 20; i++) {
                memory.storeRelease(random.nextLong(4096 / 8, words) * Long.BYTES, random.nextLong());
            }
            if (isAnswered) {
                int kind = random.nextBoolean() ? LineHead.REPLY : random.nextInt(256);
                memory.storeRelease(line, LineHead.of(kind, life, 1, number));
                memory.storeRelease(line + Long.BYTES, random.nextLong(1 << random.nextInt(1, 31)));
                number++;
            }
            memory.storeRelease(base + MACHINE.lines().loadWord(), LineHead.of(LineHead.LOAD, life, 1, number));
        }
    }

    private static long word(String text) {
        long[] words = new long[1];
        Xdr.copyIn(text.getBytes(java.nio.charset.StandardCharsets.UTF_8), 0, 8, words, 0);
        return words[0];
    }

    /** The NIC's memory of a process is sealed; this is what is left if it goes all the same. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void aProcessWhoseMemoryGoesEndsAlone(int others, @TempDir Path folder) {
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(1, 1 + others, 1);
        List<Integer> faults = new ArrayList<>();
        try (SteppedNic nic = new SteppedNic(config);
                SharedMemory memory = SharedMemory.create(folder.resolve("lines"), nic.layout.sizeBytes())) {
            nic.nic.onFault(faults::add);
            for (int process = 1; process <= others; process++) {
                nic.begin(process);
            }
            int bad = 1 + others;
            nic.nic.beginProcess(bad, new LinkedMemory(memory.pinned().slice(0, nic.layout.sizeBytes()), null,
                    LinkProfile.ZERO).owner(), nic.layout);
            assertThat(folder.resolve("lines").toFile()).satisfies(BadProcessTest::cut);
            nic.pass(1_000_000_000);
            assertThat(faults).containsExactly(bad);
            assertThat(nic.nic.dispatch().isLive(bad)).isFalse();
            CpuLines kernel = nic.kernel(0);
            for (int process = 1; process <= others; process++) {
                long id = nic.send(process, "after");
                CpuLines thread = nic.thread(process, 0);
                assertThat(nic.dispatch(kernel, thread)).isEqualTo(LineHead.REQUEST);
                SteppedNic.answer(thread);
                thread.announce();
                nic.step(3);
                assertThat(nic.only(id)).isZero();
                nic.nic.endProcess(process, Refusal.PROCESS_GONE);
            }
        }
    }

    private static void cut(File file) throws IOException {
        try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }
}
