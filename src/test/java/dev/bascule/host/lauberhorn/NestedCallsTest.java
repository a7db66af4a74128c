package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpDecoder;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that handlers make while they serve one: who may answer them, and that every thread's first works. */
class NestedCallsTest {
    private static final int ELSEWHERE = 0x2000_0900;
    private static final int BACK = 0x2000_0901;
    /** The first of as many programs as processes. */
    private static final int FRONT = 0x2000_0910;
    private static final int SERVER = 0x0a01_0109;
    private static final int STRANGER = 0x0a01_010a;
    private static final int PORT = 2049;
    private static final Signature ONE = new Signature(List.of(ValueType.LONG), List.of(ValueType.LONG));

    @TempDir
    private Path directory = Path.of("");

    private static JavaService front(int which) {
        return JavaService.empty(FRONT + which, 1).with(1, "far", ONE, call -> {
            call.client().begin(1).set(0, call.longAt(0));
            call.client().call(ELSEWHERE, 1, 1, SERVER, PORT);
            call.setLong(0, call.client().word(0));
        }).with(2, "near", ONE, call -> {
            call.client().begin(1).set(0, call.longAt(0));
            call.client().call(BACK, 1, 1);
            call.setLong(0, call.client().word(0));
        });
    }

    private static JavaService back() {
        return JavaService.empty(BACK, 1).with(1, "double", ONE, call -> call.setLong(0, 2 * call.longAt(0)));
    }

    private static Rig rig(int processes) {
        Rig rig = new Rig(LauberhornConfig.DEFAULT.withMachine(2 * processes, 1 + processes, 2),
                LauberhornOptions.DEFAULT);
        for (int i = 0; i < processes; i++) {
            rig.host.startProcess("front " + i, front(i));
        }
        rig.host.startProcess("back", back());
        rig.host.importService(JavaService.empty(ELSEWHERE, 1).with(1, "decide", ONE, call -> {}));
        rig.host.addNeighbour(SERVER, 0x0200_0000_0009L);
        return rig;
    }

    private static void send(Rig rig, int procedure, int which) {
        rig.client.call(rig.nextXid(), FRONT + which, 1, procedure, ONE, new long[] { which }, 8);
    }

    /** A nested call as the machine that is called sees it. */
    private record Seen(int xid, int fromPort, long argument) {
        static Seen next(Rig rig) {
            byte[] frame = rig.awaitFrame();
            UdpDecoder decoder = new UdpDecoder(1500);
            decoder.begin();
            decoder.feed(frame, 0, frame.length);
            assertThat(decoder.end()).isEqualTo(UdpDecoder.Verdict.UDP);
            OncRpc head = new OncRpc();
            assertThat(head.read(decoder.payload(), 0, decoder.payloadBytes())).isEqualTo(OncRpc.Kind.CALL);
            assertThat((int) decoder.flow().toLow).isEqualTo(SERVER);
            assertThat(decoder.flow().toPort).isEqualTo(PORT);
            long[] words = new long[4];
            Xdr.decode(ONE.arguments(), decoder.payload(), head.bodyOffset(),
                    decoder.payloadBytes() - head.bodyOffset(), words);
            return new Seen(head.xid(), decoder.flow().fromPort, words[0]);
        }

        /** A reply with this result, from where it should come to where it should go, or a little off that. */
        byte[] reply(long result, int id, Consumer<UdpFlow> off) {
            UdpFlow flow = new UdpFlow();
            flow.fromMac = 0x0200_0000_0009L;
            flow.toMac = Rig.MAC;
            flow.fromLow = SERVER & 0xffff_ffffL;
            flow.toLow = Rig.IPV4 & 0xffff_ffffL;
            flow.fromPort = PORT;
            flow.toPort = fromPort;
            off.accept(flow);
            byte[] frame = new byte[256];
            int at = UdpEncoder.MOST_HEADER_BYTES;
            int head = OncRpc.reply(frame, at, id, OncRpc.SUCCESS);
            int bytes = head + Xdr.encode(ONE.result(), new long[] { result }, 8, frame, at + head, 64);
            int start = UdpEncoder.wrap(flow, frame, at, bytes);
            return Arrays.copyOfRange(frame, start, at + bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void theFirstCallOfEachThreadIsServed(int processes) {
        try (Rig rig = rig(processes)) {
            for (int round = 1; round <= 20; round++) {
                for (int i = 0; i < processes; i++) {
                    send(rig, 2, i);
                }
                int replies = round * processes;
                rig.until(() -> rig.statuses.size() == replies, "all replies");
            }
            assertThat(rig.statuses.values()).allSatisfy(statuses -> assertThat(statuses).containsExactly(0));
        }
    }

    /** Makes what calls. */
    static final class Front implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(front(0));
        }
    }

    /** Makes what is called. */
    static final class Back implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(back());
        }
    }

    @Test
    void processesOfTheOperatingSystemCallEachOther() throws Exception {
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(2, 2, 2);
        try (Rig rig = new Rig(config, LauberhornOptions.DEFAULT.withDirectory(directory))) {
            Process back = TestProcess.start(directory, "back", Back.class);
            rig.until(() -> rig.host.processes().size() == 1, "who is called to join");
            Process front = TestProcess.start(directory, "front", Front.class);
            rig.until(() -> rig.host.processes().size() == 2, "who calls to join");
            for (int round = 1; round <= 20; round++) {
                rig.client.call(rig.nextXid(), FRONT, 1, 2, ONE, new long[] { round }, 8);
                int replies = round;
                rig.until(() -> rig.statuses.size() == replies, "the reply");
            }
            assertThat(rig.statuses.values()).allSatisfy(statuses -> assertThat(statuses).containsExactly(0));
            assertThat(rig.results.values()).extracting(result -> ByteBuffer.wrap(result).getLong())
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.rangeClosed(1, 20).map(i -> 2 * i).boxed().toList());
            back.destroyForcibly().waitFor();
            front.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void onlyWhoWasCalledAnswers(int processes) {
        try (Rig rig = rig(processes)) {
            for (int i = 0; i < processes; i++) {
                send(rig, 1, i);
            }
            List<Seen> calls = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                calls.add(Seen.next(rig));
            }
            for (Seen call : calls.reversed()) {
                forge(rig, call);
                rig.transmit(call.reply(1000 + call.argument(), call.xid(), flow -> {}));
            }
            rig.until(() -> rig.statuses.size() == processes, "all replies");
            assertThat(rig.results.values()).extracting(result -> ByteBuffer.wrap(result).getLong())
                    .containsExactlyInAnyOrderElementsOf(calls.stream().map(call -> 1000 + call.argument()).toList());
            assertThat(rig.host.counters().get(Total.UNWANTED_ANSWERS)).isEqualTo(processes * (4L + 128));
        }
    }

    /** What others can send: those who saw the call, and one who has seen many and guesses the next. */
    private static void forge(Rig rig, Seen call) {
        rig.transmit(call.reply(-1, call.xid(), flow -> flow.fromLow = STRANGER));
        rig.transmit(call.reply(-2, call.xid(), flow -> flow.fromPort = PORT + 1));
        rig.transmit(call.reply(-3, call.xid(), flow -> flow.toPort = call.fromPort() ^ 1));
        rig.transmit(call.reply(-4, call.xid() + 1, flow -> {}));
        for (int guess = 1; guess <= 128; guess++) {
            int id = guess % 4 + 1 << 16 | guess / 4;
            rig.transmit(call.reply(-5, id, flow -> flow.toPort = 1));
        }
    }

    @Test
    void nothingOfACallFollowsFromTheOnesBefore() {
        Set<Integer> steps = new HashSet<>();
        Set<Integer> ports = new HashSet<>();
        try (Rig rig = rig(1)) {
            int last = 0;
            for (int i = 0; i < 16; i++) {
                send(rig, 1, 0);
                Seen call = Seen.next(rig);
                steps.add(call.xid() - last);
                ports.add(call.fromPort());
                last = call.xid();
                rig.transmit(call.reply(0, call.xid(), flow -> {}));
                int replies = i + 1;
                rig.until(() -> rig.statuses.size() == replies, "the reply");
            }
        }
        assertThat(steps).as("16 of 2^32 ids").hasSize(16);
        assertThat(ports).as("16 of 16,384 ports").hasSizeGreaterThan(10).allMatch(port -> port >= 49_152);
    }
}
