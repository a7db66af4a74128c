package dev.bascule.nic;

import java.lang.foreign.MemorySegment;

/**
 * Run-to-completion style: one packet in, the same buffer out. (TinyNF, OSDI'20: the restriction to one packet at a time
 * and one output is what makes a driver simple.)
 */
@FunctionalInterface
public interface PacketProcessor {
    /**
     * Reads a packet and may change it in place.
     *
     * @param memory where it lies
     * @param offset its first byte in {@code memory}
     * @param lengthBytes its length
     * @return length of what is to be sent from the same place, 0 to drop it
     */
    int process(MemorySegment memory, long offset, int lengthBytes);
}
