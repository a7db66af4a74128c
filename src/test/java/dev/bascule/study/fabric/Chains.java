package dev.bascule.study.fabric;

import dev.bascule.config.FabricConfigs;
import dev.bascule.study.fabric.graph.FabricSetup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** The chain of the proposal's figure 8, and frames for it. */
final class Chains {
    static final String KEY = "000102030405060708090a0b0c0d0e0f";
    static final int INPUTS = 784;
    static final int HEADERS = 42;

    static final String INFERENCE = """
            kind: fabric
            name: private-inference
            devices:
              nic0: { kind: nic }
              crypto0: { kind: crypto, keys: [%s] }
              ml0: { kind: inference, inputs: 784, units: 16, classes: 10, seed: 7 }
            nodes:
              in: { device: nic0, do: receive }
              open: { device: crypto0, do: open, key: 0, offset: 42 }
              classify: { device: ml0, do: classify, offset: 42 }
              out: { device: nic0, do: send }
            edges:
              - in -> open
              - open -> classify
              - { from: classify, to: out, rewrite: udp-reply }
            """.formatted(KEY);

    private Chains() {}

    static FabricSetup setup(String graph, FabricCosts costs, boolean isRing, BiConsumer<String, byte[]> wire) {
        return setup(graph, costs, StreamLimits.DEFAULT, Path.of("."), isRing, wire);
    }

    static FabricSetup setup(String graph, FabricCosts costs, StreamLimits limits, Path folder, boolean isRing,
            BiConsumer<String, byte[]> wire) {
        return new FabricSetup(FabricConfigs.parse("graph.yaml", graph), costs, limits, folder, isRing, wire);
    }

    static byte[] image(SplittableRandom random) {
        byte[] image = new byte[INPUTS];
        random.nextBytes(image);
        return image;
    }

    /** A UDP datagram over IPv4 with the payload sealed under {@link #KEY}, by the JDK and not by the model. */
    static byte[] sealed(SplittableRandom random, byte[] payload) throws GeneralSecurityException {
        byte[] nonce = new byte[12];
        random.nextBytes(nonce);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(HexFormat.of().parseHex(KEY), "AES"),
                new GCMParameterSpec(128, nonce));
        byte[] body = cipher.doFinal(payload);
        return frame(ByteBuffer.allocate(12 + body.length).put(nonce).put(body).array(), random.nextInt(1 << 16));
    }

    static byte[] frame(byte[] body, int sourcePort) {
        ByteBuffer frame = ByteBuffer.allocate(HEADERS + body.length);
        frame.put(new byte[] { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 });
        frame.put((byte) 0x45).put((byte) 0).putShort((short) (28 + body.length)).putInt(0).put((byte) 64)
                .put((byte) 17)
                .putShort((short) 0).put(new byte[] { 10, 0, 0, 2, 10, 0, 0, 1 });
        frame.putShort((short) sourcePort).putShort((short) 7000).putShort((short) (8 + body.length))
                .putShort((short) 0);
        return frame.put(body).array();
    }

    /** What the net with the chain's weights says, computed beside the model. */
    static byte[] label(byte[] image) {
        return new Labels(image.length).of(image);
    }

    /** A net's labels, computed beside the model; {@code Labels(inputs)} has the chain's weights. */
    static final class Labels {
        private final int units;
        private final byte[][] hidden;
        private final int[] hiddenBias;
        private final byte[][] output;
        private final int[] outputBias;

        Labels(int inputs) {
            this(7, 16, inputs);
        }

        Labels(long seed, int units, int inputs) {
            this.units = units;
            SplittableRandom random = new SplittableRandom(seed);
            hidden = matrix(random, units, inputs);
            hiddenBias = random.ints(units, -4096, 4096).toArray();
            output = matrix(random, 10, units);
            outputBias = random.ints(10, -4096, 4096).toArray();
        }

        byte[] of(byte[] image) {
            long[] active = new long[units];
            for (int u = 0; u < units; u++) {
                long sum = hiddenBias[u];
                for (int i = 0; i < image.length; i++) {
                    sum += (long) hidden[u][i] * image[i];
                }
                active[u] = Math.min(127, Math.floorDiv(Math.max(0, sum) + 256, 512));
            }
            List<Long> sums = new ArrayList<>();
            for (int k = 0; k < 10; k++) {
                long sum = outputBias[k];
                for (int u = 0; u < units; u++) {
                    sum += output[k][u] * active[u];
                }
                sums.add(sum);
            }
            long most = sums.stream().mapToLong(sum -> sum).max().orElseThrow();
            return ByteBuffer.allocate(5).put((byte) sums.indexOf(most)).putInt((int) most).array();
        }
    }

    private static byte[][] matrix(SplittableRandom random, int rows, int columns) {
        byte[][] matrix = new byte[rows][columns];
        for (byte[] row : matrix) {
            random.nextBytes(row);
        }
        return matrix;
    }
}
