package dev.bascule.swap;

import dev.bascule.agent.region.RegionLayout;
import dev.bascule.memory.Window;
import java.util.Arrays;

/**
 * Where the lanes of a bulk swap lie; agreed on by both sides. Each lane is a cell with room for one message in each
 * direction. In NIC memory are the host lines; in host memory what the host offers and what the agent writes, in two banks
 * that epochs use in turn; behind it, for the host alone, the cell records.
 *
 * @param lanes messages that can be under way in each direction, 1 to 64
 * @param words longest message, words of 8 bytes, 1 to 65,535
 * @param nicOffset start of its part of NIC memory, bytes
 * @param hostOffset start of its part of host memory, bytes
 */
public record SwapBulkArea(int lanes, int words, long nicOffset, long hostOffset) {
    private static final int LINE = Window.LINE_BYTES;
    private static final int MOST_LANES = 64;
    private static final int MOST_WORDS = 0xffff;

    /** Checks the ranges. */
    public SwapBulkArea {
        if (lanes < 1 || lanes > MOST_LANES || words < 1 || words > MOST_WORDS || nicOffset < 0 || hostOffset < 0
                || (nicOffset | hostOffset) % LINE != 0) {
            throw new IllegalArgumentException("bulk swap of " + lanes + " lanes for messages of " + words
                    + " words at " + nicOffset + " of NIC and " + hostOffset + " of host memory; want 1 to "
                    + MOST_LANES + " lanes, 1 to " + MOST_WORDS + " words, offsets that are multiples of " + LINE);
        }
    }

    /** Bytes of NIC memory. */
    public long nicBytes() {
        return (long) lanes * LINE;
    }

    /** Bytes of host memory that the NIC has to reach; what is behind them is the host's alone. */
    public long sharedHostBytes() {
        return RegionLayout.page(lanes * laneBytes());
    }

    /** Bytes of host memory. */
    public long hostBytes() {
        return sharedHostBytes() + RegionLayout.page((long) lanes * CellRecord.SIZE_BYTES);
    }

    private int areaLines() {
        return (words + Line.WORDS - 1) / Line.WORDS;
    }

    private long laneBytes() {
        return (areaLines() + (long) RegionLayout.BANKS * (1 + areaLines())) * LINE;
    }

    /** Written by the host, in NIC memory. */
    long hostLine(int lane) {
        return nicOffset + (long) lane * LINE;
    }

    /** Written by the agents of every other epoch, in host memory; its area follows. */
    long agentLine(int bank, int lane) {
        return hostOffset + lane * laneBytes() + (areaLines() + (long) bank * (1 + areaLines())) * LINE;
    }

    /** The host's alone. */
    long record(int lane) {
        return hostOffset + sharedHostBytes() + (long) lane * CellRecord.SIZE_BYTES;
    }

    /** Written by the host, in host memory. */
    BatchArea offered(Window memory, int lane) {
        return BatchArea.offered(lines(memory, hostOffset + lane * laneBytes()));
    }

    /** Written by the agents of every other epoch, in host memory. */
    BatchArea promised(Window memory, int bank, int lane) {
        return new BatchArea(lines(memory, agentLine(bank, lane) + LINE));
    }

    private Line[] lines(Window memory, long first) {
        Line[] all = new Line[areaLines()];
        Arrays.setAll(all, i -> new WindowLine(memory, first + (long) i * LINE));
        return all;
    }
}
