package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineLayout;

/**
 * Sizes and times of the NIC. {@link #DEFAULT} has those of the published prototype.
 *
 * @param cores that do RPC
 * @param processes that may be there at a time
 * @param threads of each process
 * @param services of each process
 * @param queueEntries requests that a process may have queued
 * @param lines layout of the endpoints
 * @param dmaThresholdBytes payloads longer than this go by DMA
 * @param times bounds, ns
 * @param costs injected, ns
 */
public record LauberhornConfig(int cores, int processes, int threads, int services, int queueEntries,
        LineLayout lines, int dmaThresholdBytes, Times times, Costs costs) {

    /**
     * Bounds.
     *
     * @param tryAgainNanos how long a load is held
     * @param queueNanos how long a request waits for a core before it is refused
     * @param answerNanos how long a nested call waits for its answer
     */
    public record Times(long tryAgainNanos, long queueNanos, long answerNanos) {
        /** 15 ms as on Enzian; a second each for what no paper says. */
        public static final Times DEFAULT = new Times(15_000_000, 1_000_000_000, 1_000_000_000);

        /** Checks that all are positive. */
        public Times {
            if (tryAgainNanos <= 0 || queueNanos <= 0 || answerNanos <= 0) {
                throw new IllegalArgumentException("times of the NIC must be positive: " + tryAgainNanos + ", "
                        + queueNanos + ", " + answerNanos + " ns");
            }
        }
    }

    /**
     * Latencies that the emulation injects; 0 everywhere costs nothing.
     *
     * @param lineNanos transfer of a line that the other side changed: paid by a core for each line it reads, and by the
     *     NIC for the first that it fetches
     * @param nextLineNanos what each further line of one fetch adds
     * @param dmaNanos from the start of a DMA transfer to its end, besides its length
     * @param dmaBytesPerMicro bytes that DMA moves in a microsecond; 0: no limit
     */
    public record Costs(long lineNanos, long nextLineNanos, long dmaNanos, long dmaBytesPerMicro) {
        /** Nothing is injected. */
        public static final Costs ZERO = new Costs(0, 0, 0, 0);

        /** Time to fetch so many bytes back by lines. */
        long fetchNanos(int bytes, int lineBytes) {
            return lineNanos + (long) (bytes / lineBytes) * nextLineNanos;
        }

        /** Time to move so many bytes by DMA. */
        long dmaNanos(int bytes) {
            return dmaNanos + (dmaBytesPerMicro == 0 ? 0 : bytes * 1000L / dmaBytesPerMicro);
        }
    }

    /** The prototype's sizes (KireinaHoro/enzian-pio-nic, {@code Global.scala}), with lines of 64 bytes. */
    public static final LauberhornConfig DEFAULT = new LauberhornConfig(4, 16, 4, 8, 32,
            new LineLayout(64, 4096, 16_384), 4096, Times.DEFAULT, Costs.ZERO);

    /** Checks the sizes; {@link IllegalArgumentException} says which is wrong. */
    public LauberhornConfig {
        check("cores", cores, 1, 256);
        check("processes", processes, 1, 4096);
        check("threads a process", threads, 1, 256);
        check("services a process", services, 1, 4096);
        check("queue entries", queueEntries, 1, 1 << 16);
        check("DMA threshold", dmaThresholdBytes, 0, 1 << 20);
        if (processes * threads > 1 << 16) {
            throw new IllegalArgumentException(processes + " processes with " + threads
                    + " threads are more than 65536 threads");
        }
    }

    private static void check(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException("Lauberhorn's NIC: " + what + " is " + value + "; " + least + " to "
                    + most);
        }
    }

    /** This with other cores, processes and threads of each. */
    public LauberhornConfig withMachine(int newCores, int newProcesses, int newThreads) {
        return new LauberhornConfig(newCores, newProcesses, newThreads, services, queueEntries, lines,
                dmaThresholdBytes, times, costs);
    }

    /** This with other queues. */
    public LauberhornConfig withQueueEntries(int entries) {
        return new LauberhornConfig(cores, processes, threads, services, entries, lines, dmaThresholdBytes, times,
                costs);
    }

    /** This with another number of services a process. */
    public LauberhornConfig withServices(int most) {
        return new LauberhornConfig(cores, processes, threads, most, queueEntries, lines, dmaThresholdBytes, times,
                costs);
    }

    /** This with other lines. */
    public LauberhornConfig withLines(LineLayout newLines, int newDmaThresholdBytes) {
        return new LauberhornConfig(cores, processes, threads, services, queueEntries, newLines, newDmaThresholdBytes,
                times, costs);
    }

    /** This with other bounds. */
    public LauberhornConfig withTimes(Times newTimes) {
        return new LauberhornConfig(cores, processes, threads, services, queueEntries, lines, dmaThresholdBytes,
                newTimes, costs);
    }

    /** This with other injected latencies. */
    public LauberhornConfig withCosts(Costs newCosts) {
        return new LauberhornConfig(cores, processes, threads, services, queueEntries, lines, dmaThresholdBytes,
                times, newCosts);
    }
}
