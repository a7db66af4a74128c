package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.study.fabric.Traffic.Kind;
import dev.bascule.study.fabric.graph.FabricSetup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The proposal's tables 2 and 3, counted by the fabric. */
class FabricChainTest {
    private final List<byte[]> sent = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(1);

    @Test
    void streamsTakeThreeHalfRoundTripsAndTheStagesTime() throws Exception {
        byte[] image = Chains.image(random);
        byte[] frame = Chains.sealed(random, image);
        try (FabricSetup setup = Chains.setup(Chains.INFERENCE, FabricCosts.PROPOSAL, false,
                (card, left) -> sent.add(left))) {
            int stream = setup.fabric().streams().open(setup.program());
            StreamPort card = (StreamPort) setup.source();
            assertThat(card.push(stream, frame, 0, frame.length)).isTrue();
            setup.fabric().time().run();

            assertThat(body(sent.getFirst())).isEqualTo(Chains.label(image));
            assertThat(setup.fabric().traffic().rows())
                    .extracting(row -> row.from() + " " + row.to() + " " + row.kind())
                    .containsExactly("nic0 crypto0 DMA_WRITE", "crypto0 ml0 DMA_WRITE", "ml0 nic0 DMA_WRITE");
            assertThat(setup.fabric().traffic().halfRoundTrips()).isEqualTo(3);
            assertThat(setup.fabric().host().cpuActions()).isZero();
            // 3 * (379 + 100 / 3) ns until the frame leaves; what follows is the credit's way back
            assertThat(timeOfLastArrival(setup)).isEqualTo(3 * (379_000 + 33_333));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 4 })
    void anItemOnTheLinkIsNoneOfTheStreamThatGetsTheNumber(int others) throws Exception {
        byte[] frame = Chains.sealed(random, Chains.image(random));
        try (FabricSetup setup = Chains.setup(Chains.INFERENCE, FabricCosts.PROPOSAL, false,
                (card, left) -> sent.add(left))) {
            Streams streams = setup.fabric().streams();
            StreamPort card = (StreamPort) setup.source();
            for (int i = 0; i < others; i++) {
                int old = streams.open(setup.program());
                assertThat(card.push(old, frame, 0, frame.length)).isTrue();
                streams.close(old);
                assertThat(streams.open(setup.program())).as("its number").isEqualTo(old);
            }
            setup.fabric().time().run();
            assertThat(sent).as("what reached another tenant's stream").isEmpty();
            assertThat(streams.admitted()).isZero();
            assertThat(setup.fabric().audit().counts()).containsEntry(Audit.Reason.CLOSED, (long) others);
        }
    }

    private long timeOfLastArrival(FabricSetup setup) throws Exception {
        sent.clear();
        long[] left = new long[1];
        byte[] frame = Chains.sealed(random, Chains.image(random));
        try (FabricSetup again = Chains.setup(Chains.INFERENCE, setup.fabric().costs(), false,
                (card, out) -> left[0] = 1)) {
            int stream = again.fabric().streams().open(again.program());
            ((StreamPort) again.source()).push(stream, frame, 0, frame.length);
            while (left[0] == 0) {
                assertThat(again.fabric().time().step()).isTrue();
            }
            return again.fabric().time().now();
        }
    }

    @Test
    void theCpuInTheMiddleTakesTwelveTransfersAndNineRoundTrips() throws Exception {
        byte[] image = Chains.image(random);
        long[] left = new long[1];
        try (FabricSetup setup = Chains.setup(Chains.INFERENCE, FabricCosts.PROPOSAL.withoutStages(), true,
                (card, frame) -> sent.add(frame))) {
            Fabric fabric = setup.fabric();
            RingPort card = (RingPort) setup.source();
            HostChain chain = new HostChain(fabric, card, 2048,
                    List.of(new HostChain.Step((RingPort) setup.port("crypto0"), AesGcm.OPEN, 0, 42),
                            new HostChain.Step((RingPort) setup.port("ml0"), QuantisedNet.CLASSIFY, 0, 42),
                            new HostChain.Step(card, FrameSender.SEND, 0, 0)));
            assertThat(chain.receive(Chains.sealed(random, image))).isTrue();
            while (sent.isEmpty()) {
                assertThat(fabric.time().step()).isTrue();
            }
            left[0] = fabric.time().now();
            fabric.time().run();

            assertThat(body(sent.getFirst())).isEqualTo(Chains.label(image));
            assertThat(chain.ended()).isEqualTo(1);
            assertThat(fabric.traffic().transfers()).isEqualTo(12);
            assertThat(fabric.traffic().halfRoundTrips()).isEqualTo(18);
            assertThat(left[0]).as("6.82 us").isEqualTo(18 * 379_000);
            assertThat(fabric.traffic().rows()).filteredOn(row -> row.kind() == Kind.COMPLETION)
                    .extracting(Traffic.Row::transfers).containsExactly(2L, 1L, 1L);
            assertThat(fabric.audit().counts()).isEmpty();
        }
    }

    @Test
    void theSwitchDrivesDevicesWithRingsInTheCpusPlace() throws Exception {
        byte[] image = Chains.image(random);
        String legacy = Chains.INFERENCE.replace("kind: crypto,", "kind: crypto, interface: ring,")
                .replace("kind: inference,", "kind: inference, interface: ring,");
        try (FabricSetup setup = Chains.setup(legacy, FabricCosts.PROPOSAL, false, (card, frame) -> sent.add(frame))) {
            int stream = setup.fabric().streams().open(setup.program());
            byte[] frame = Chains.sealed(random, image);
            ((StreamPort) setup.source()).push(stream, frame, 0, frame.length);
            setup.fabric().time().run();

            assertThat(body(sent.getFirst())).isEqualTo(Chains.label(image));
            assertThat(setup.fabric().host().cpuActions()).isZero();
            assertThat(setup.fabric().traffic().rows()).filteredOn(row -> row.from().equals("switch"))
                    .allMatch(row -> row.kind() == Kind.MMIO_WRITE).hasSize(2);
            assertThat(setup.fabric().audit().counts()).isEmpty();
        }
    }

    @Test
    void theReplyIsAValidDatagramToWhoSentIt() throws Exception {
        byte[] frame = Chains.sealed(random, Chains.image(random));
        try (FabricSetup setup = Chains.setup(Chains.INFERENCE, FabricCosts.PROPOSAL, false,
                (card, left) -> sent.add(left))) {
            int stream = setup.fabric().streams().open(setup.program());
            ((StreamPort) setup.source()).push(stream, frame, 0, frame.length);
            setup.fabric().time().run();
            byte[] reply = sent.getFirst();
            assertThat(Arrays.copyOf(reply, 6)).isEqualTo(Arrays.copyOfRange(frame, 6, 12));
            assertThat(Arrays.copyOfRange(reply, 30, 34)).isEqualTo(Arrays.copyOfRange(frame, 26, 30));
            assertThat(Arrays.copyOfRange(reply, 36, 38)).isEqualTo(Arrays.copyOfRange(frame, 34, 36));
            assertThat(word(reply, 16)).isEqualTo(reply.length - 14);
            assertThat(word(reply, 38)).isEqualTo(reply.length - 34);
            int sum = 0;
            for (int at = 14; at < 34; at += 2) {
                sum += word(reply, at);
            }
            assertThat((sum & 0xffff) + (sum >>> 16)).isEqualTo(0xffff);
        }
    }

    private static int word(byte[] frame, int at) {
        return (frame[at] & 0xff) << 8 | frame[at + 1] & 0xff;
    }

    private static byte[] body(byte[] frame) {
        return Arrays.copyOfRange(frame, Chains.HEADERS, frame.length);
    }
}
