package dev.bascule.model.cndm.proto;

import dev.bascule.model.replay.PortReplay;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;

/** Replay of a captured run of the RTL of profile proto. */
public final class ProtoReplay extends PortReplay {
    private static final long RUN_NANOS = 1_000_000;
    private static final int MOST_PORTS = 8;

    private ProtoReplay(List<VectorLine> lines, int ports) {
        super(lines, ports, RUN_NANOS);
        on(new ProtoDevice(ports, memory, vector -> {},
                (port, data, lengthBytes) -> transmitted(port, data, 0, lengthBytes), this::done));
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
        return run(name, reader, "cndm",
                lines -> new ProtoReplay(lines, lines.getFirst().number("ports", 1, MOST_PORTS)));
    }
}
