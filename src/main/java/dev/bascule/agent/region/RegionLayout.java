package dev.bascule.agent.region;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.memory.Window;

/**
 * Where a transport puts what both ends have in common. The header and a control word for each agent come first in
 * every region. What belongs to an agent and the CPUs it decides for lies in pages of its own; what belongs to one of its
 * epochs in one of two banks, so that a fenced agent that goes on writing cannot touch what its successor uses. Offsets
 * are bytes, in NIC memory (or what stands for it) unless said otherwise.
 */
public interface RegionLayout {
    /** The region's header. */
    long HEADER = 0;
    /** Written by the host: epoch, stop, resync generation of the first agent; see {@link #hostControl}. */
    long HOST_CONTROL = 128;
    /** Bytes of a line. */
    int LINE = 64;
    /** Banks, used in turn by epoch. */
    int BANKS = 2;

    /** The enclave's size. */
    EnclaveShape shape();

    /** Bytes of NIC memory. */
    long nicBytes();

    /** Bytes of host memory. */
    long hostBytes();

    /** Start of an agent's bank of NIC memory in an epoch. */
    long nicBank(int epoch, int agent);

    /** Bytes of a bank of NIC memory. */
    long nicBankBytes();

    /** Start of an agent's bank of host memory in an epoch. */
    long hostBank(int epoch, int agent);

    /** Bytes of a bank of host memory; 0 where NIC memory stands for both. */
    long hostBankBytes();

    /** Written by the host, in host memory: status words. */
    long status();

    /** Written by the agent: heartbeat, state. */
    long agentControl(int epoch, int agent);

    /** Written by the host: epoch, stop and resync generation of an agent. */
    static long hostControl(int agent) {
        return HOST_CONTROL + agent * (long) LINE;
    }

    /** Where what follows the header and the control words begins. */
    static long first(EnclaveShape shape) {
        return page(hostControl(shape.agents()));
    }

    /** Written by the agent: three words, when it took over from another. */
    long takeOver(int epoch, int agent);

    /** Zeroes memory, visibly for the other side. */
    static void clear(Window window, long from, long bytes) {
        for (long offset = from; offset < from + bytes; offset += 8) {
            window.storeRelease(offset, 0);
        }
        window.writeFence();
    }

    /** Rounded up to whole pages. */
    static long page(long bytes) {
        return (bytes + 4095) & -4096;
    }
}
