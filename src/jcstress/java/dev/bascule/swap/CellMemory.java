package dev.bascule.swap;

import dev.bascule.loopback.LinkProfile;
import dev.bascule.loopback.LinkedMemory;
import dev.bascule.memory.MemoryType;
import dev.bascule.memory.Shared;
import dev.bascule.memory.Window;

/**
 * The memory of one cell and production's windows on it, as the default placement has them: the host writes to the NIC
 * through write-combining and reads through write-through, the NIC's cores own the memory, the record is the host's.
 */
final class CellMemory {
    static final int CELL = 3;
    private static final long HOST = 0;
    private static final long AGENT = 64;
    private static final long DECISION = 128;
    private static long seeds;

    private final LinkedMemory nic = new LinkedMemory(Shared.part(DECISION + 64), null, LinkProfile.ZERO);
    private final Window toNic = nic.hostWriteCombining(++seeds, 2);
    private final Window fromNic = nic.host(MemoryType.WT, seeds);
    private final Window owner = nic.owner();
    private final Window record = new LinkedMemory(Shared.part(CellRecord.SIZE_BYTES), null, LinkProfile.ZERO).owner();

    /** The host's line, to write. */
    Line hostOut() {
        return new WindowLine(toNic, HOST);
    }

    /** The host's line as the agent reads it. */
    Line hostIn() {
        return new WindowLine(owner, HOST);
    }

    /** The agent's line, to write. */
    Line agentOut() {
        return new WindowLine(owner, AGENT);
    }

    /** The agent's line as the host reads it. */
    Line agentIn() {
        return new WindowLine(fromNic, AGENT);
    }

    /** The decision behind the agent's line, to write. */
    Line decisionOut() {
        return new WindowLine(owner, DECISION);
    }

    /** The decision as the host reads it. */
    Line decisionIn() {
        return new WindowLine(fromNic, DECISION);
    }

    /** The host's record; each call as another process would open it. */
    CellRecord record() {
        return CellRecord.over(record, 0);
    }

    HostCell host() {
        Line in = agentIn();
        return HostCell.create(CELL, 1, 1, hostOut(), new Line[] { in, in }, record(), SwapOptions.PATIENT,
                SwapLedger.OFF);
    }

    AgentCell agent() {
        return new AgentCell(CELL, 1, 1, hostIn(), agentOut(), SwapLedger.OFF);
    }
}
