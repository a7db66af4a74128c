package dev.bascule.model.corundum;

import dev.bascule.config.ModelTiming;
import dev.bascule.nic.corundum.MqnicFormats;
import dev.bascule.nic.corundum.MqnicRegisters;

/**
 * Parameters that a Corundum design was synthesised with. Made by {@link #builder()}; the defaults are a small two-port
 * design with MSI-X. Immutable.
 *
 * @param profile the state of the design
 * @param identity the words of the firmware ID block
 * @param interfaces 1 to 8, a power of two
 * @param ports ports of each interface, 1 to 8
 * @param schedulers schedulers of each interface, 1 to 8
 * @param eventQueues of each interface, a power of two, as all queue counts
 * @param completionQueues of each interface
 * @param txQueues of each interface
 * @param rxQueues of each interface
 * @param features {@code MqnicRegisters.FEATURE_*}
 * @param maxTxBytes longest transmitted frame, without FCS
 * @param maxRxBytes longest received frame, without FCS
 * @param txFifoBytes transmit FIFO of a port
 * @param rxFifoBytes receive FIFO of a port
 * @param dmaAddressBits width of a DMA address, 32 to 64
 * @param interruptIndexBits log2 of the number of interrupts
 * @param msix whether the MSI-X table takes the slot before the statistics
 * @param statistics whether there is a statistics block
 * @param tdma whether schedulers have TDMA register blocks
 * @param periodicOutputs number of periodic outputs of the clock, at most 2
 * @param flash the flash to present
 * @param firstMacAddress the board has Ethernet addresses from this one on, 48 bits; 0 for a board that has none
 * @param linkDelayNanos how long after power-on and after each reset a port's link comes up
 * @param timing when the device answers
 */
public record CorundumConfig(CorundumProfile profile, CorundumIdentity identity, int interfaces, int ports,
        int schedulers, int eventQueues, int completionQueues, int txQueues, int rxQueues, int features, int maxTxBytes,
        int maxRxBytes, int txFifoBytes, int rxFifoBytes, int dmaAddressBits, int interruptIndexBits, boolean msix,
        boolean statistics, boolean tdma, int periodicOutputs, CorundumFlash flash, long firstMacAddress,
        long linkDelayNanos, ModelTiming timing) {
    /** Checks ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public CorundumConfig {
        powerOfTwo("interfaces", interfaces, 8);
        range("ports", ports, 1, 8);
        range("schedulers", schedulers, 1, 8);
        powerOfTwo("event queues", eventQueues, 256);
        powerOfTwo("completion queues", completionQueues, 16384);
        powerOfTwo("TX queues", txQueues, 8192);
        powerOfTwo("RX queues", rxQueues, 8192);
        range("longest TX frame", maxTxBytes, 64, 65535);
        range("longest RX frame", maxRxBytes, 64, 65535);
        powerOfTwo("TX FIFO bytes", txFifoBytes, 1 << 24);
        powerOfTwo("RX FIFO bytes", rxFifoBytes, 1 << 24);
        if (txFifoBytes < maxTxBytes || rxFifoBytes < maxRxBytes) {
            throw new IllegalArgumentException("corundum: a FIFO of " + txFifoBytes + " / " + rxFifoBytes
                    + " bytes does not hold the longest frame of " + maxTxBytes + " / " + maxRxBytes);
        }
        range("DMA address bits", dmaAddressBits, 32, 64);
        range("interrupt index bits", interruptIndexBits, 1, 11);
        range("periodic outputs", periodicOutputs, 0, 2);
        if (linkDelayNanos < 0) {
            throw new IllegalArgumentException("corundum: the link comes up " + linkDelayNanos + " ns after a reset");
        }
        Layout.check(interfaces, ports, schedulers, msix, statistics);
    }

    /** Starts from the defaults. */
    public static CorundumConfigBuilder builder() {
        return new CorundumConfigBuilder();
    }

    /** Entries of one port's indirection table. */
    int tableEntries() {
        return Math.min(256, rxQueues);
    }

    /** Ports of the whole device. */
    public int allPorts() {
        return interfaces * ports;
    }

    boolean has(int feature) {
        return (features & feature) != 0;
    }

    /** Bits 63 to 32 of a DMA address that exist. */
    int highAddressMask() {
        return dmaAddressBits == 64 ? -1 : (1 << dmaAddressBits - 32) - 1;
    }

    long addressMask() {
        return (long) highAddressMask() << 32 | 0xFFFFFFFFL;
    }

    /** Width of a channel's destination: four bits of traffic class, then the port. */
    int destinationMask() {
        return (1 << 4 + Math.max(1, log2(ports))) - 1;
    }

    /** Credits of the longest frame. */
    int maxTxCredits() {
        return (maxTxBytes + MqnicRegisters.CREDIT_BYTES - 1) / MqnicRegisters.CREDIT_BYTES;
    }

    static int log2(int value) {
        return value <= 1 ? 0 : 32 - Integer.numberOfLeadingZeros(value - 1);
    }

    static int largestBlockBytes() {
        return MqnicFormats.DESCRIPTOR_BYTES << MqnicFormats.MAX_LOG_DESCRIPTOR_BLOCK;
    }

    private static void range(String name, int value, int low, int high) {
        if (value < low || value > high) {
            throw new IllegalArgumentException(
                    "corundum: " + name + " is " + value + "; it can be " + low + " to " + high);
        }
    }

    private static void powerOfTwo(String name, int value, int high) {
        range(name, value, 1, high);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException("corundum: " + name + " is " + value + "; it must be a power of two");
        }
    }
}
