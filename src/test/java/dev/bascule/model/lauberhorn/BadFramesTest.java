package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What peers send to the NIC that they should not. */
class BadFramesTest {
    private static final LauberhornConfig MACHINE = LauberhornConfig.DEFAULT.withMachine(1, 2, 1);
    private static final int PROGRAM = SteppedNic.PROGRAM + 1;
    private static final int OF_CALL = UdpEncoder.MOST_HEADER_BYTES;

    private static SteppedNic nic() {
        SteppedNic nic = new SteppedNic(MACHINE);
        nic.begin(1);
        nic.begin(2);
        return nic;
    }

    private static int status(SteppedNic nic, int program, int version, int procedure, Signature signature,
            long... words) {
        int id = 7_000 + nic.statuses.size();
        nic.client.call(id, program, version, procedure, signature, words, words.length * Long.BYTES);
        nic.step(2);
        return nic.only(id);
    }

    @Test
    void whatIsNotServedIsRefusedWithItsReason() {
        try (SteppedNic nic = nic()) {
            assertThat(status(nic, 99, 1, 0, Signature.NULL)).isEqualTo(OncRpc.PROG_UNAVAIL);
            assertThat(status(nic, PROGRAM, 7, 0, Signature.NULL)).isEqualTo(OncRpc.PROG_MISMATCH);
            assertThat(status(nic, PROGRAM, 1, 55, Signature.NULL)).isEqualTo(OncRpc.PROC_UNAVAIL);
            assertThat(status(nic, PROGRAM, 1, 1, Signature.NULL)).as("no arguments").isEqualTo(OncRpc.GARBAGE_ARGS);
            assertThat(nic.refused(Refusal.NO_PROGRAM)).isEqualTo(1);
            assertThat(nic.refused(Refusal.NO_VERSION)).isEqualTo(1);
            assertThat(nic.refused(Refusal.NO_PROCEDURE)).isEqualTo(1);
            assertThat(nic.refused(Refusal.BAD_ARGUMENTS)).isEqualTo(1);
            nic.settled();
        }
    }

    @Test
    void argumentsThatAreTooManyOrTooLongAreRefused() {
        try (SteppedNic nic = nic()) {
            Signature more = new Signature(List.of(ValueType.LONG, ValueType.LONG, ValueType.LONG, ValueType.LONG),
                    List.of());
            assertThat(status(nic, PROGRAM, 1, 1, more, 1, 2, 3, 4)).isEqualTo(OncRpc.GARBAGE_ARGS);
            assertThat(status(nic, PROGRAM, 1, 1, SteppedNic.OWNED, text(16_500))).as("more than lines and DMA hold")
                    .isEqualTo(OncRpc.GARBAGE_ARGS);
            nic.settled();
            long[] words = text(17_000);
            nic.client.call(9_999, PROGRAM, 1, 1, SteppedNic.OWNED, words, words.length * Long.BYTES);
            nic.step(2);
            assertThat(nic.statuses).as("a frame that no NIC would take").doesNotContainKey(9_999L);
            assertThat(nic.nic.counters().get(Total.DROPPED)).isEqualTo(1);
        }
    }

    private static long[] text(int bytes) {
        long[] words = new long[2 + Xdr.words(bytes)];
        words[1] = ValueType.reference(2, bytes);
        return words;
    }

    @Test
    void truncatedCallsAreRefusedOrDropped() {
        try (SteppedNic nic = nic()) {
            byte[] call = new byte[256];
            int head = OncRpc.call(call, 0, 1, PROGRAM, 1, 1);
            int length = head + Xdr.encode(SteppedNic.OWNED.arguments(), new long[] { 1, ValueType.reference(2, 5), 9 },
                    24, call, head, 200);
            for (int bytes = 0; bytes < length; bytes++) {
                byte[] part = call.clone();
                Xdr.putInt(part, 0, 9_000 + bytes);
                nic.client.raw(part, bytes);
                nic.step(2);
                if (bytes >= head) {
                    assertThat(nic.only(9_000 + bytes)).as("%d bytes", bytes).isEqualTo(OncRpc.GARBAGE_ARGS);
                }
            }
            assertThat(nic.nic.counters().get(Total.DROPPED)).isEqualTo(head);
            nic.settled();
        }
    }

    /** Frames of good calls with bytes changed, cut or added: nothing is lost, nothing stops the NIC, good ones go on. */
    @ParameterizedTest(name = "for the last of {0} processes")
    @ValueSource(ints = { 1, 2, 4 })
    void damagedFramesStopNobody(int processes) {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        UdpFlow flow = WireClient.flow(SteppedNic.MAC + 1, SteppedNic.IPV4 + 1, 5000, SteppedNic.MAC, SteppedNic.IPV4,
                700);
        try (SteppedNic nic = new SteppedNic(MACHINE.withMachine(1, processes, 1))) {
            for (int process = 1; process <= processes; process++) {
                nic.begin(process);
            }
            nic.nic.setScheduler(dispatch -> now -> 0);
            nic.nic.dispatch().give(0, nic.number(processes, 0), false);
            nic.kernel(0).announce();
            CpuLines thread = nic.thread(processes, 0);
            thread.announce();
            long frames = 0;
            for (int round = 0; round < 20_000; round++) {
                byte[] frame = new byte[OF_CALL + 200];
                int head = OncRpc.call(frame, OF_CALL, round, SteppedNic.PROGRAM + processes, 1, 1);
                int length = head + Xdr.encode(SteppedNic.OWNED.arguments(),
                        new long[] { processes, ValueType.reference(2, 5), 9 }, 24, frame, OF_CALL + head, 100);
                boolean inside = random.nextBoolean(); // damage that the checksums cover up, or not
                if (inside) {
                    damage(frame, OF_CALL, length, random);
                }
                int start = UdpEncoder.wrap(flow, frame, OF_CALL, length);
                int end = OF_CALL + length;
                if (!inside) {
                    damage(frame, start, end - start, random);
                    end = random.nextInt(8) == 0 ? random.nextInt(start + 1, frame.length) : end;
                }
                nic.far.transmit(frame, start, end - start);
                frames++;
                nic.step(2);
                if (thread.look() == LineHead.REQUEST) {
                    SteppedNic.answer(thread);
                    thread.announce();
                    nic.step(2);
                }
            }
            for (int other = 1; other < processes; other++) {
                nic.nic.endProcess(other, Refusal.PROCESS_GONE);
            }
            NicCounters counters = nic.nic.counters();
            assertThat(counters.get(Total.FRAMES)).as("seed %d", seed).isEqualTo(frames);
            assertThat(counters.get(Total.ANSWERED)).as("seed %d", seed).isPositive();
            assertThat(counters.get(Total.REQUESTS)).as("seed %d", seed)
                    .isEqualTo(counters.get(Total.ANSWERED) + counters.get(Total.REFUSED));
            assertThat(nic.nic.inUse()).as("seed %d", seed).isZero();
        }
    }

    private static void damage(byte[] frame, int from, int length, SplittableRandom random) {
        for (int i = random.nextInt(4); i >= 0; i--) {
            frame[from + random.nextInt(length)] = (byte) random.nextInt();
        }
    }
}
