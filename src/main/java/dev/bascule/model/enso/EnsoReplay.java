package dev.bascule.model.enso;

import dev.bascule.model.replay.HexPattern;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorLine;
import dev.bascule.nic.enso.EnsoRegisters;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays a recorded run of the Ensō RTL (JSON lines: registers, packets, host memory, DMA, flits, flow table) on the
 * model and compares stream by stream. One object is one run, from reset.
 */
public final class EnsoReplay {
    private static final int KEPT_DIFFERENCES = 100;
    /** More work than any recorded run causes at a time; beyond it, the model counts as never becoming idle. */
    private static final long STEP_LIMIT = 50_000_000;

    private final RunStreams streams = new RunStreams();
    private final PcieBlock block = new PcieBlock(streams, EnsoBoard.AFTER_LOAD, streams, streams, new EnsoMetrics());
    private final FlowReplay flows = new FlowReplay(this::differs);
    private final List<String> differences = new ArrayList<>();
    private String name;
    private int differenceCount;
    private int stimuli;
    private int expectations;

    private EnsoReplay(String name) {
        this.name = name;
    }

    /**
     * Replays a run.
     *
     * @param name what to call it if the file does not say
     * @param reader the lines; not closed
     * @throws dev.bascule.model.replay.VectorFormatException if a line is not what the format allows
     * @throws IOException from the reader
     */
    public static ReplayResult run(String name, BufferedReader reader) throws IOException {
        EnsoReplay replay = new EnsoReplay(name);
        int[] last = new int[1];
        VectorLine.forEach(reader, line -> {
            last[0] = line.number();
            replay.apply(line);
        });
        replay.streams.settle(last[0], replay::differs);
        return new ReplayResult(replay.name, replay.stimuli, replay.expectations, replay.differences,
                replay.differenceCount);
    }

    private void apply(VectorLine line) {
        String op = line.op();
        switch (op) {
            case "scenario" -> name = line.has("name") ? line.text("name") : name;
            case "note" -> {
            }
            case "quiesce" -> streams.settle(line.number(), this::differs);
            default -> {
                if (op.startsWith("expect_")) {
                    expectations++;
                    expect(op, line);
                } else {
                    stimuli++;
                    stimulate(op, line);
                }
            }
        }
    }

    private void expect(String op, VectorLine line) {
        switch (op) {
            case "expect_dma_write" -> streams.expectWrite(line);
            case "expect_dma_read" -> streams.expectRead(line);
            case "expect_tx_flits" -> streams.expectFlits(line);
            case "expect_config" -> streams.expectConfig(line);
            default -> throw line.wrong("op", "is '" + op + "', which this format does not have");
        }
    }

    private void stimulate(String op, VectorLine line) {
        switch (op) {
            case "board" -> block.board(board(line));
            case "write8", "write16", "write32", "write64" -> block.write(line.number("offset"), width(op, "write"),
                    line.number("value"));
            case "read8", "read16", "read32", "read64" -> read(width(op, "read"), line);
            case "rx_packet" -> packet(line);
            case "host_mem" -> hostMemory(line);
            case "hold_descriptor_reads" -> block.holdEntries(line.flag("on"));
            case "release_descriptors" -> block.releaseEntries(line.number("count", 0, Integer.MAX_VALUE));
            case "flow_insert" -> {
                expectations++;
                flows.insert(line);
            }
            case "flow_lookup" -> {
                expectations++;
                flows.lookup(line);
            }
            default -> throw line.wrong("op", "is '" + op + "', which this format does not have");
        }
        settleDown(line);
    }

    private static int width(String op, String prefix) {
        return Integer.parseInt(op, prefix.length(), op.length(), 10) / Byte.SIZE;
    }

    private static EnsoBoard board(VectorLine line) {
        return new EnsoBoard(line.number("pipe_ring_flits", 0, Integer.MAX_VALUE),
                line.number("notif_ring", 0, Integer.MAX_VALUE), line.number("inflight", 0, Integer.MAX_VALUE),
                line.flag("per_packet"));
    }

    private void read(int widthBytes, VectorLine line) {
        expectations++;
        long value = block.read(line.number("offset"), widthBytes);
        if (value != line.number("expect")) {
            differs("line %d: load of %d bytes at %d: expected 0x%x, got 0x%x".formatted(line.number(), widthBytes,
                    line.number("offset"), line.number("expect"), value));
        }
    }

    private void packet(VectorLine line) {
        byte[] data = exact(line).bytes();
        block.packet(line.number("pipe", 0, EnsoRegisters.PIPES - 1), data, 0, data.length);
    }

    private void hostMemory(VectorLine line) {
        byte[] data = exact(line).bytes();
        int copies = line.has("repeat") ? line.number("repeat", 0, 1 << 24) : 1;
        for (int i = 0; i < copies; i++) {
            streams.memory.write(line.number("addr") + (long) i * data.length, data, 0, data.length);
        }
    }

    private static HexPattern exact(VectorLine line) {
        HexPattern pattern = line.hex("hex");
        if (!pattern.exact()) {
            throw line.wrong("hex", "has unspecified nibbles in a stimulus");
        }
        return pattern;
    }

    private void settleDown(VectorLine line) {
        long steps = 0;
        while (block.step()) {
            if (++steps > STEP_LIMIT) {
                differs("line " + line.number() + ": the model does not come to rest");
                return;
            }
        }
    }

    private void differs(String difference) {
        differenceCount++;
        if (differences.size() < KEPT_DIFFERENCES) {
            differences.add(difference);
        }
    }
}
