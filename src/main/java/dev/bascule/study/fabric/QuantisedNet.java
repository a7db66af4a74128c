package dev.bascule.study.fabric;

import java.util.SplittableRandom;

/**
 * An inference accelerator: two dense layers with 8-bit weights and activations and 32-bit sums, as integer inference is
 * commonly done (B. Jacob et al., CVPR 2018): a hidden layer with ReLU, brought back to 8 bits by a right shift with
 * rounding, and an output layer whose largest sum names the class. The result is the class, one byte, and its sum, four
 * bytes, big endian. Weights follow from a seed, or are given.
 */
public final class QuantisedNet implements Accelerator {
    /** Command: classify. */
    public static final int CLASSIFY = 1;
    /** Bytes of a result. */
    public static final int RESULT_BYTES = 5;
    private static final int SHIFT = 9;

    private final byte[][] hidden;
    private final int[] hiddenBias;
    private final byte[][] output;
    private final int[] outputBias;
    private final WorkTime time;

    /** A net with these weights: {@code hidden[unit][input]} and {@code output[class][unit]}. */
    public QuantisedNet(byte[][] hidden, int[] hiddenBias, byte[][] output, int[] outputBias, WorkTime time) {
        this.hidden = hidden.clone();
        this.hiddenBias = hiddenBias.clone();
        this.output = output.clone();
        this.outputBias = outputBias.clone();
        this.time = time;
        if (hidden.length != hiddenBias.length || output.length != outputBias.length || output.length == 0
                || output.length > 256 || hidden.length == 0 || output[0].length != hidden.length) {
            throw new IllegalArgumentException("the layers do not fit: " + hidden.length + " units, " + output.length
                    + " classes (1 to 256)");
        }
    }

    /** A net with weights that follow from the seed. */
    public static QuantisedNet ofSeed(long seed, int inputs, int units, int classes, WorkTime time) {
        SplittableRandom random = new SplittableRandom(seed);
        return new QuantisedNet(weights(random, units, inputs), biases(random, units), weights(random, classes, units),
                biases(random, classes), time);
    }

    private static byte[][] weights(SplittableRandom random, int rows, int columns) {
        byte[][] weights = new byte[rows][columns];
        for (byte[] row : weights) {
            random.nextBytes(row);
        }
        return weights;
    }

    private static int[] biases(SplittableRandom random, int count) {
        return random.ints(count, -4096, 4096).toArray();
    }

    /** Inputs, one byte each, from -128 to 127. */
    public int inputs() {
        return hidden[0].length;
    }

    @Override
    public int run(int command, int parameter, byte[] in, int offset, int lengthBytes, byte[] out) {
        if (command != CLASSIFY || lengthBytes != inputs()) {
            return REJECTED;
        }
        byte[] activations = new byte[hidden.length];
        for (int unit = 0; unit < hidden.length; unit++) {
            int sum = hiddenBias[unit];
            for (int i = 0; i < lengthBytes; i++) {
                sum += hidden[unit][i] * in[offset + i];
            }
            activations[unit] = (byte) Math.clamp(Math.max(sum, 0) + (1 << SHIFT - 1) >> SHIFT, 0, 127);
        }
        int best = 0;
        int most = Integer.MIN_VALUE;
        for (int kind = 0; kind < output.length; kind++) {
            int sum = outputBias[kind];
            for (int unit = 0; unit < activations.length; unit++) {
                sum += output[kind][unit] * activations[unit];
            }
            if (sum > most) {
                most = sum;
                best = kind;
            }
        }
        out[0] = (byte) best;
        for (int i = 0; i < 4; i++) {
            out[1 + i] = (byte) (most >>> 24 - 8 * i);
        }
        return RESULT_BYTES;
    }

    @Override
    public int mostResult(int lengthBytes) {
        return RESULT_BYTES;
    }

    @Override
    public long workPs(int command, int lengthBytes) {
        return time.of(lengthBytes);
    }
}
