package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.bascule.study.fabric.graph.FabricSetup;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A million sealed packets, sealed by OpenSSL, through card, decryption, inference and card, while devices stop and go on
 * and one misbehaves in every way there is.
 */
@Tag("long")
class FabricLongTest {
    private static final int FRAMES = 1_000_000;
    private static final int FLOWS = 256;
    private static final int INPUTS = 64;
    private static final byte[] KEY = HexFormat.of().parseHex(Chains.KEY);
    private static final long SEED = 22;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Chains.Labels net = new Chains.Labels(INPUTS);
    private final BitSet answered = new BitSet(FRAMES);
    private final int[] labels = new int[FRAMES];
    private long wrong;
    private long twice;

    private final BiConsumer<String, byte[]> wire = (card, frame) -> {
        int number = ByteBuffer.wrap(frame).getInt(Chains.HEADERS - 16); // where the source address was: see frame()
        if (number < 0 || number >= FRAMES || frame[Chains.HEADERS] != (byte) labels[number]) {
            wrong++;
        } else if (answered.get(number)) {
            twice++;
        } else {
            answered.set(number);
        }
    };

    @Test
    void aMillionPacketsPassAndNoneIsLostDoubledOrLedAstray() throws Exception {
        Optional<OpenSsl> found = OpenSsl.find();
        assumeThat(found).as("libcrypto.so.3 of Debian's libssl3").isPresent();
        String graph = Chains.INFERENCE.replace("inputs: 784", "inputs: " + INPUTS)
                .replace("rewrite: udp-reply", "rewrite: udp-length").replace("edges:", """
                        edges:
                          - { from: in, to: rogue, when: "u8 at 30 == 255" }""").replace("nodes:", """
                        nodes:
                          rogue: { device: rogue0, do: append }""").replace("devices:", """
                        devices:
                          rogue0: { kind: store, file: none }""");
        try (OpenSsl other = found.orElseThrow();
                FabricSetup setup = Chains.setup(graph, FabricCosts.PROPOSAL.withBytesPerSecond(FabricCosts.GEN3_X16),
                        false,
                        wire)) {
            Fabric fabric = setup.fabric();
            StreamPort card = (StreamPort) setup.source();
            int[] streams = new int[FLOWS];
            for (int i = 0; i < FLOWS; i++) {
                streams[i] = fabric.streams().open(setup.program());
            }
            Deque<byte[]> waiting = new ArrayDeque<>();
            for (int number = 0; number < FRAMES;) {
                byte[] frame = waiting.isEmpty() ? frame(other, number) : waiting.remove();
                if (card.push(streams[number % FLOWS], frame, 0, frame.length)) {
                    number++;
                } else {
                    waiting.add(frame);
                    faults(fabric, setup, streams);
                    assertThat(fabric.time().step()).as("seed " + SEED + ", frame " + number).isTrue();
                }
            }
            for (String device : new String[] { "crypto0", "ml0" }) {
                ((StreamPort) setup.port(device)).stall(false);
            }
            fabric.time().run();
            assertThat(wrong).as("seed " + SEED).isZero();
            assertThat(twice).as("seed " + SEED).isZero();
            assertThat(answered.cardinality()).as("seed " + SEED).isEqualTo(FRAMES);
            assertThat(fabric.audit().count(Audit.Reason.NOT_OWNER)).isPositive();
            assertThat(fabric.audit().count(Audit.Reason.FORBIDDEN)).isPositive();
        }
    }

    /** The number stands where the source's address does, which nothing on the way changes. */
    private byte[] frame(OpenSsl other, int number) {
        byte[] image = new byte[INPUTS];
        random.nextBytes(image);
        byte[] nonce = new byte[12];
        random.nextBytes(nonce);
        labels[number] = net.of(image)[0];
        byte[] frame = Chains.frame(other.seal(KEY, nonce, image), 4000);
        ByteBuffer.wrap(frame).putInt(26, number);
        return frame;
    }

    private void faults(Fabric fabric, FabricSetup setup, int[] streams) {
        int dice = random.nextInt(20_000);
        StreamPort rogue = (StreamPort) setup.port("rogue0");
        byte[] junk = new byte[32];
        if (dice < 4) {
            ((StreamPort) setup.port(dice % 2 == 0 ? "crypto0" : "ml0")).stall(dice < 2);
        } else if (dice < 2_000) {
            random.nextBytes(junk);
            int stream = streams[random.nextInt(FLOWS)];
            rogue.writeTo(fabric.streams().window(stream, random.nextInt(Program.MOST_NODES)) | Streams.END, junk, 0,
                    junk.length);
        } else if (dice < 2_500) {
            rogue.writeTo(random.nextLong(1 << 16), junk, 0, junk.length);
        } else if (dice == 2_500) {
            Arrays.fill(junk, (byte) -1);
            rogue.remove();
        }
        if (dice < 4 && fabric.time().now() > 0) {
            ((StreamPort) setup.port("crypto0")).stall(false);
            ((StreamPort) setup.port("ml0")).stall(random.nextInt(3) == 0);
        }
        if (random.nextInt(50) == 0) {
            ((StreamPort) setup.port("ml0")).stall(false);
        }
    }
}
