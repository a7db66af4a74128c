package dev.bascule.study.enso;

import java.util.List;

/**
 * Time that work costs on the simulated host and cards, ns. None of it is a published outcome; {@link #SOURCES} says
 * where each is from.
 *
 * @param pipePacket instructions for a packet on pipes, echo
 * @param queuePacket the same on queues of descriptors
 * @param round one look for news
 * @param record one notification, completion or descriptor handled, beside the cache
 * @param store a store to a register
 * @param second an answer of the second cache level
 * @param last of the last level
 * @param memory of memory
 * @param overlap how many of those that a burst's packets need are under way together
 * @param oneWay between card and host
 * @param receive from a frame's end to its first write
 * @param reaction from a register's store to what the card does
 * @param bufferBytes what a card holds of frames that the link has no room for
 */
record TimedCosts(double pipePacket, double queuePacket, double round, double record, double store, double second,
        double last, double memory, double overlap, double oneWay, double receive, double reaction, long bufferBytes) {
    /** The published measurement's host, at 3.1 GHz. */
    static final TimedCosts EVALUATION = new TimedCosts(2.6, 6.2, 10, 2, 50, 14 / 3.1, 70 / 3.1, 70 / 3.1 + 60, 4, 379,
            208, 76, 131_072);

    /** Where each figure comes from. */
    static final List<String> SOURCES = List.of(
            "2.6 ns a packet on pipes: measured, echo of 64-byte packets by PipeLoop (its OVERHEAD comment)",
            "6.2 ns a packet on queues: measured, 2.4 times as much by ProcessorLoop on the same machine",
            "10 ns a look for news, 2 ns a notification, completion or descriptor: chosen",
            "50 ns a register store: Wave (ASPLOS'25), host 64-bit MMIO write",
            "caches answer in 14 and 70 cycles of 3.1 GHz, memory in 60 ns more: Intel, Skylake server; four packets of a"
                    + " burst wait together: chosen",
            "379 ns one way: the thesis proposal; 208 ns from a frame to its first write, 76 ns from a store to a read:"
                    + " observed on Ensō's RTL, 52 and 19 cycles of 250 MHz; both cards have the same",
            "128 KiB of frames wait in a card: Corundum's FIFO; both cards have the same");

    /** Cost of an answer of the caches while others of the burst wait beside it, ns. */
    double nanos(CacheModel.Answer answer) {
        return switch (answer) {
            case FIRST -> 0;
            case SECOND -> second / overlap;
            case LAST -> last / overlap;
            case MEMORY -> memory / overlap;
        };
    }
}
