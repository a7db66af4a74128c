package dev.bascule.study.nagare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.config.FabricConfig;
import dev.bascule.config.FabricConfigs;
import dev.bascule.study.fabric.Audit;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.StreamLimits;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricRunTest {
    private static final FabricCosts GEN3 = FabricCosts.PROPOSAL.withBytesPerSecond(FabricCosts.GEN3_X16);
    private static final FabricConfig CHAIN = FabricConfigs
            .read(Path.of(System.getProperty("bascule.baseDirectory", "."),
                    "hw-configs/fabric/private-inference.yaml"));

    @TempDir
    Path folder;

    private static List<byte[]> frames(FabricConfig config, int count, int flows) {
        SealedFrames source = new SealedFrames(config, flows, 5);
        return IntStream.range(0, count).mapToObj(i -> source.next()).toList();
    }

    private static FabricRun.Frames of(List<byte[]> frames) {
        Iterator<byte[]> each = frames.iterator();
        return () -> each.hasNext() ? each.next() : null;
    }

    /** Payloads by the port that they go to, in order: the client of a flow. */
    private static Map<Integer, List<ByteBuffer>> byClient(List<byte[]> frames) {
        Map<Integer, List<ByteBuffer>> flows = new HashMap<>();
        for (byte[] frame : frames) {
            int client = (frame[36] & 0xff) << 8 | frame[37] & 0xff;
            flows.computeIfAbsent(client, key -> new ArrayList<>())
                    .add(ByteBuffer.wrap(Arrays.copyOfRange(frame, 42, frame.length)));
        }
        return flows;
    }

    @Test
    void streamsAndTheCpuInTheMiddleGiveTheSameAnswers() throws Exception {
        List<byte[]> frames = frames(CHAIN, 2_000, 16);
        List<byte[]> byStreams = new ArrayList<>();
        List<byte[]> byCpu = new ArrayList<>();
        FabricResult streams;
        FabricResult cpu;
        try (FabricRun run = new FabricRun(CHAIN, GEN3, StreamLimits.DEFAULT, folder,
                (card, frame) -> byStreams.add(frame))) {
            streams = run.run(of(frames));
        }
        try (HostRun run = new HostRun(CHAIN, GEN3, folder, (card, frame) -> byCpu.add(frame))) {
            cpu = run.run(of(frames));
        }
        assertThat(byStreams).hasSize(2_000);
        // without the headers, which only the stages rewrite: there the port of the client stands where the server's did
        Map<Integer, List<ByteBuffer>> swapped = new HashMap<>();
        for (byte[] frame : byCpu) {
            int client = (frame[34] & 0xff) << 8 | frame[35] & 0xff;
            swapped.computeIfAbsent(client, key -> new ArrayList<>())
                    .add(ByteBuffer.wrap(Arrays.copyOfRange(frame, 42, frame.length)));
        }
        assertThat(byClient(byStreams)).isEqualTo(swapped).hasSize(16);
        assertThat(streams.isWhole() && cpu.isWhole()).isTrue();
        assertThat(streams.streams()).isEqualTo(16);
        assertThat(streams.halfRoundTripsPerItem()).isEqualTo(3);
        assertThat(streams.cpuActionsPerItem()).isZero();
        assertThat(cpu.transfersPerItem()).isEqualTo(12);
        assertThat(cpu.halfRoundTripsPerItem()).isEqualTo(18);
        assertThat(cpu.completed()).isEqualTo(2_000);
    }

    @Test
    void aNewFlowTakesTheStreamOfTheQuietest() throws Exception {
        List<byte[]> sent = new ArrayList<>();
        try (FabricRun run = new FabricRun(CHAIN, GEN3, new StreamLimits(4, 2, 2048), folder,
                (card, frame) -> sent.add(frame))) {
            for (byte[] frame : frames(CHAIN, 200, 50)) {
                run.offer(frame);
                run.setup().fabric().time().run();
            }
            assertThat(run.result().isWhole()).isTrue();
            assertThat(run.result().streams()).isGreaterThan(50);
        }
        assertThat(sent).hasSize(200);
    }

    @Test
    void aCableIntoTheFabricGivesBackWhatTheCardSends() throws Exception {
        List<byte[]> answers = new ArrayList<>();
        try (FabricWire wire = new FabricWire(CHAIN, GEN3)) {
            for (byte[] frame : frames(CHAIN, 100, 8)) {
                assertThat(wire.transmit(frame, 0, frame.length)).isTrue();
                wire.poll(
                        (data, offset, lengthBytes) -> answers
                                .add(Arrays.copyOfRange(data, offset, offset + lengthBytes)),
                        64);
            }
            assertThat(wire.result().halfRoundTripsPerItem()).isEqualTo(3);
        }
        assertThat(answers).hasSize(100).allMatch(answer -> answer.length == 47);
    }

    @Test
    void aFrameWhoseTagIsWrongIsRejectedByName() throws Exception {
        List<byte[]> frames = new ArrayList<>(frames(CHAIN, 10, 2));
        byte[] bad = frames.get(4).clone();
        bad[100] ^= 1;
        frames.set(4, bad);
        List<byte[]> sent = new ArrayList<>();
        try (FabricRun run = new FabricRun(CHAIN, GEN3, StreamLimits.DEFAULT, folder,
                (card, frame) -> sent.add(frame))) {
            FabricResult result = run.run(of(frames));
            assertThat(result.refused()).containsExactly(Map.entry(Audit.Reason.REJECTED, 1L));
            assertThat(result.isWhole()).isFalse();
            assertThat(result.text()).contains("the device rejected it");
        }
        assertThat(sent).hasSize(9);
    }

    @Test
    void aGraphBranchesByWhatIsInTheItemAndKeepsACopyInAStore() throws Exception {
        FabricConfig config = FabricConfigs.parse("branch.yaml", """
                kind: fabric
                name: branch
                devices:
                  nic0: { kind: nic }
                  nic1: { kind: nic }
                  disk0: { kind: store, file: seen.bin }
                nodes:
                  in: { device: nic0, do: receive }
                  left: { device: nic0, do: send }
                  right: { device: nic1, do: send }
                  keep: { device: disk0, do: append }
                edges:
                  - { from: in, to: keep, when: "u16 at 36 == 7000", copy: true }
                  - { from: in, to: left, when: "u8 at 35 < 8" }
                  - in -> right
                """);
        List<byte[]> frames = frames(config, 200, 16);
        Map<String, List<byte[]>> sent = new HashMap<>();
        try (FabricRun run = new FabricRun(config, GEN3, StreamLimits.DEFAULT, folder,
                (card, frame) -> sent.computeIfAbsent(card, key -> new ArrayList<>()).add(frame))) {
            FabricResult result = run.run(of(frames));
            assertThat(result.completed()).isEqualTo(400);
            assertThat(result.isWhole()).isTrue();
        }
        assertThat(sent.get("nic0")).hasSize((int) frames.stream().filter(frame -> (frame[35] & 0xff) < 8).count())
                .allMatch(frame -> (frame[35] & 0xff) < 8);
        assertThat(sent.get("nic1")).allMatch(frame -> (frame[35] & 0xff) >= 8);
        ByteBuffer store = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("seen.bin")));
        List<ByteBuffer> kept = new ArrayList<>();
        while (store.hasRemaining()) {
            byte[] record = new byte[store.getInt()];
            store.get(record);
            kept.add(ByteBuffer.wrap(record));
        }
        assertThat(kept).containsExactlyInAnyOrderElementsOf(frames.stream().map(ByteBuffer::wrap).toList());
    }

    @Test
    void aGraphThatBranchesCannotHaveTheCpuInTheMiddle() {
        FabricConfig config = FabricConfigs.parse("g.yaml", """
                kind: fabric
                name: two-ways
                devices:
                  nic0: { kind: nic }
                nodes:
                  in: { device: nic0, do: receive }
                  out: { device: nic0, do: send }
                edges:
                  - { from: in, to: out, when: "length >= 64" }
                """);
        assertThatThrownBy(() -> new HostRun(config, GEN3, folder, (card, frame) -> {}))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be one chain");
    }
}
