package dev.bascule.nic.enso;

/**
 * Settings of an Ensō board that the driver must be told: those made by the board tool, which no PCIe register shows.
 * After loading a bitstream they are zero. {@link EnsoNic} checks those that it can.
 *
 * @param pipeRingFlits size of every pipe in flits of 64 bytes, a power of two from 64 to 2^19
 * @param notificationRingEntries size of every notification ring in entries of 64 bytes, a power of two, 1024 to 2^19
 * @param inflightEntries TX requests the device has in flight at most
 * @param perPacketNotification whether every packet carries a notification
 * @param hugepages whether rings must lie on 2 MiB hugepages (ordinary pages otherwise)
 */
public record EnsoConfig(int pipeRingFlits, int notificationRingEntries, int inflightEntries,
        boolean perPacketNotification, boolean hugepages) {
    /** The defaults of the board tool; ordinary pages. */
    public static final EnsoConfig DEFAULT = new EnsoConfig(EnsoFormats.DEFAULT_PIPE_RING_FLITS,
            EnsoFormats.DEFAULT_NOTIFICATION_RING_ENTRIES, EnsoFormats.DEFAULT_INFLIGHT_ENTRIES, false, false);

    private static final int LARGEST_RING = 1 << EnsoFormats.POINTER_BITS - 1;
    private static final int SMALLEST_PIPE = 64;
    private static final int SMALLEST_NOTIFICATION_RING = 1024;

    /** Checks the ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public EnsoConfig {
        ring("pipe ring", pipeRingFlits, SMALLEST_PIPE);
        ring("notification ring", notificationRingEntries, SMALLEST_NOTIFICATION_RING);
        if (inflightEntries < 1) {
            throw new IllegalArgumentException("enso: in-flight limit " + inflightEntries
                    + "; the board tool accepts 256 to 1000, and the device sends nothing with less than 1");
        }
    }

    /** Rings of the given sizes, the rest as {@link #DEFAULT}. */
    public static EnsoConfig ofRings(int pipeRingFlits, int notificationRingEntries) {
        return new EnsoConfig(pipeRingFlits, notificationRingEntries, EnsoFormats.DEFAULT_INFLIGHT_ENTRIES, false,
                false);
    }

    /** Copy of this configuration with or without a notification for each packet. */
    public EnsoConfig withPerPacketNotification(boolean on) {
        return new EnsoConfig(pipeRingFlits, notificationRingEntries, inflightEntries, on, hugepages);
    }

    /** Copy of this configuration with rings on hugepages, or on ordinary pages. */
    public EnsoConfig withHugepages(boolean on) {
        return new EnsoConfig(pipeRingFlits, notificationRingEntries, inflightEntries, perPacketNotification, on);
    }

    /** Size of a pipe's ring in bytes. */
    public long pipeBytes() {
        return (long) pipeRingFlits * EnsoFormats.FLIT_BYTES;
    }

    private static void ring(String name, int size, int smallest) {
        if (size < smallest || size > LARGEST_RING || Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("enso: " + name + " of " + size + "; it must be a power of two from "
                    + smallest + " to " + LARGEST_RING + ", and what the board tool has set");
        }
    }
}
