package dev.bascule.model.corundum;

import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.function.ToLongFunction;

/**
 * 64-bit counters that only grow; drivers read them in two halves. Numbered as in the RTL: those of the PCIe link (packets
 * by kind, their words of 4 bytes), those of the DMA engine (operations, bytes, requests, latencies in clocks of 4 ns).
 * Requests and payloads are cut as on a usual host, see {@link #READ_REQUEST_BYTES} and {@link #PAYLOAD_BYTES}. Behind
 * them, where the RTL leaves room for what a design adds, what this model loses on receive, for which the RTL has no
 * counters.
 */
final class Statistics implements RegisterWindow {
    static final int COUNTERS = 4096;
    static final int STRIDE = 8;
    /** Longest read request (MRRS). */
    static final int READ_REQUEST_BYTES = 512;
    /** Longest payload of a write or a completion (MPS). */
    static final int PAYLOAD_BYTES = 256;

    // what the host sends, then what the card sends
    static final int PCIE_RX = 0;
    static final int PCIE_TX = 16;
    static final int MEMORY_READS = 0;
    static final int MEMORY_WRITES = 1;
    static final int COMPLETIONS = 5;
    static final int HEADER_WORDS = 10;
    static final int REQUESTED_WORDS = 11;
    static final int PAYLOAD_WORDS = 12;
    static final int COMPLETED_WORDS = 13;

    static final int DMA_READS = 32;
    static final int DMA_WRITES = 48;
    static final int BYTES = 1;
    static final int LATENCY = 2;
    static final int ERRORS = 3;
    static final int REQUESTS = 4;

    /** Losses, one counter for each {@link Loss}. */
    private static final int LOST = 64;
    private static final int IMPLEMENTED = LOST + Loss.values().length;
    private static final int PAGE_BYTES = 4096;
    private static final int WORD_BYTES = 4;
    private static final int NANOS_PER_CLOCK = 4;
    /** Of so many operations one is timed, and stands for all: reading the clock costs as much as the operation. */
    private static final int TIMED = 64;

    /** Kind of loss in a card. */
    enum Loss {
        /** A received frame found no room in its port's FIFO. */
        FIFO_FULL,
        /** A received frame found no descriptor in its queue. */
        NO_DESCRIPTOR,
        /** A completion found its queue full or disabled. */
        COMPLETION,
        /** An event found its queue full or disabled. */
        EVENT
    }

    private final long[] counter = new long[IMPLEMENTED];
    private final Clock clock;
    /** Designs without a PCIe link count none of its packets. */
    private final boolean pcie;
    /** Losses of each kind since the reset. */
    private final ToLongFunction<Loss> lost;
    private int operations;

    Statistics(Clock clock, boolean pcie, ToLongFunction<Loss> lost) {
        this.clock = clock;
        this.pcie = pcie;
        this.lost = lost;
    }

    /** Says when the operation that follows begins, or that it is not timed. */
    long begin() {
        return ++operations % TIMED == 0 ? clock.nanoTime() : 0;
    }

    /** One operation of the DMA engine is done. */
    void dma(int kind, long address, int lengthBytes, boolean done, long begunNanos) {
        counter[kind]++;
        counter[kind + BYTES] += lengthBytes;
        counter[kind + ERRORS] += done ? 0 : 1;
        if (begunNanos != 0) {
            counter[kind + LATENCY] += (clock.nanoTime() - begunNanos) / NANOS_PER_CLOCK * TIMED;
        }
        if (pcie && lengthBytes != 0) {
            pcie(kind == DMA_READS, address, lengthBytes);
        }
    }

    private void pcie(boolean read, long address, int lengthBytes) {
        int requests = packets(address, lengthBytes, read ? READ_REQUEST_BYTES : PAYLOAD_BYTES);
        int words = words(address, lengthBytes);
        counter[(read ? DMA_READS : DMA_WRITES) + REQUESTS] += requests;
        counter[PCIE_TX + (read ? MEMORY_READS : MEMORY_WRITES)] += requests;
        counter[PCIE_TX + HEADER_WORDS] += (long) requests * headerWords(address);
        counter[PCIE_TX + (read ? REQUESTED_WORDS : PAYLOAD_WORDS)] += words;
        if (read) {
            int completions = packets(address, lengthBytes, PAYLOAD_BYTES);
            counter[PCIE_RX + COMPLETIONS] += completions;
            counter[PCIE_RX + HEADER_WORDS] += 3L * completions;
            counter[PCIE_RX + COMPLETED_WORDS] += words;
        }
    }

    /** The host reads or writes one register. */
    void register(boolean read) {
        if (!pcie) {
            return;
        }
        counter[PCIE_RX + (read ? MEMORY_READS : MEMORY_WRITES)]++;
        counter[PCIE_RX + HEADER_WORDS] += 4; // this BAR lies above 4 GiB
        counter[PCIE_RX + (read ? REQUESTED_WORDS : PAYLOAD_WORDS)]++;
        if (read) {
            counter[PCIE_TX + COMPLETIONS]++;
            counter[PCIE_TX + HEADER_WORDS] += 3;
            counter[PCIE_TX + COMPLETED_WORDS]++;
        }
    }

    /** No packet is longer than {@code most}, and none crosses a page. */
    private static int packets(long address, int lengthBytes, int most) {
        int first = Math.min(lengthBytes, PAGE_BYTES - (int) (address & PAGE_BYTES - 1));
        int count = (first + most - 1) / most;
        for (int left = lengthBytes - first; left > 0; left -= PAGE_BYTES) {
            count += (Math.min(left, PAGE_BYTES) + most - 1) / most;
        }
        return count;
    }

    private static int words(long address, int lengthBytes) {
        return ((int) (address & WORD_BYTES - 1) + lengthBytes + WORD_BYTES - 1) / WORD_BYTES;
    }

    private static int headerWords(long address) {
        return address >>> 32 == 0 ? 3 : 4;
    }

    @Override
    public int read(int offset) {
        int index = offset / STRIDE;
        if (index >= IMPLEMENTED) {
            return 0;
        }
        long value = index < LOST ? counter[index] : lost.applyAsLong(Loss.values()[index - LOST]);
        return (int) (value >>> ((offset & 4) * 8));
    }

    @Override
    public void write(int offset, int value, int lanes) {}

    @Override
    public void reset() {
        Arrays.fill(counter, 0);
    }
}
