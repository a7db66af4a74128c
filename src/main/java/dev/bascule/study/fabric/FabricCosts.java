package dev.bascule.study.fabric;

/**
 * Costs of a transfer.
 *
 * @param oneWayPs from the end of a device's write to its arrival at its target, through the switch: half a round trip
 * @param stages match and action stages that each message passes; 0 for a switch that only routes
 * @param cyclesPerStage clock cycles of a stage
 * @param clockGhz the stages' clock
 * @param bytesPerSecond of each link in each direction; 0 for links without limit
 * @param headerBytes what a message costs on a link beside its payload
 * @param maxPayloadBytes longest payload of a message
 */
public record FabricCosts(long oneWayPs, int stages, int cyclesPerStage, double clockGhz, double bytesPerSecond,
        int headerBytes, int maxPayloadBytes) {
    /** Picoseconds of a nanosecond. */
    public static final long NANO = 1_000;

    /**
     * The proposal's constants: 379 ns one way, ten stages of ten cycles at 3 GHz (section 4.3), links without limit. The
     * header is that of a write with a 64-bit address (16 bytes), sequence number and LCRC (6) and framing (2) of PCI
     * Express 3.0.
     */
    public static final FabricCosts PROPOSAL = new FabricCosts(379_000, 10, 10, 3, 0, 24, 256);

    /** PCI Express 3.0 x16 without what 128b/130b coding takes: 8 GT/s on 16 lanes. */
    public static final double GEN3_X16 = 8e9 * 16 / 8 * 128 / 130;

    /** Checks the ranges. */
    public FabricCosts {
        if (oneWayPs < 0 || stages < 0 || cyclesPerStage < 0 || clockGhz <= 0 || bytesPerSecond < 0 || headerBytes < 0
                || maxPayloadBytes < 64 || Integer.bitCount(maxPayloadBytes) != 1) {
            throw new IllegalArgumentException("a cost is negative, the clock stands still, or the longest payload is"
                    + " no power of two from 64 on: " + oneWayPs + " ps, " + stages + " stages, " + cyclesPerStage
                    + " cycles, " + clockGhz + " GHz, " + bytesPerSecond + " B/s, " + headerBytes + " B, "
                    + maxPayloadBytes + " B");
        }
    }

    /** Time that the stages add to every message, ps. */
    public long pipelinePs() {
        return Math.round(stages * cyclesPerStage / clockGhz * 1_000);
    }

    /** From a device to the switch. */
    long upPs() {
        return oneWayPs / 2;
    }

    /** From the switch to a device. */
    long downPs() {
        return oneWayPs - oneWayPs / 2;
    }

    /** How long a link is busy with so many bytes of payload, ps. */
    long busyPs(long payloadBytes) {
        if (bytesPerSecond == 0) {
            return 0;
        }
        long messages = Math.max(1, (payloadBytes + maxPayloadBytes - 1) / maxPayloadBytes);
        return Math.round((payloadBytes + messages * headerBytes) * 1e12 / bytesPerSecond);
    }

    /** These costs with a switch that only routes. */
    public FabricCosts withoutStages() {
        return new FabricCosts(oneWayPs, 0, cyclesPerStage, clockGhz, bytesPerSecond, headerBytes, maxPayloadBytes);
    }

    /** These costs with links of this speed; 0 for no limit. */
    public FabricCosts withBytesPerSecond(double limit) {
        return new FabricCosts(oneWayPs, stages, cyclesPerStage, clockGhz, limit, headerBytes, maxPayloadBytes);
    }
}
