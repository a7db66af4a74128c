package dev.bascule.model.corundum.replay;

import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumDevice;
import dev.bascule.model.replay.Action;
import dev.bascule.model.replay.CardReplay;
import dev.bascule.model.replay.Difference;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Replay of a captured run of the Corundum RTL; virtual time passes in {@code run} lines only. */
public final class CorundumReplay extends CardReplay {
    /** The first line's {@code device}. */
    public static final String DEVICE = "corundum mqnic";

    private static final long RUN_NANOS = 100_000;

    private final CorundumRecorder recorder = new CorundumRecorder();
    private final CorundumDevice device;

    private CorundumReplay(List<VectorLine> lines, CorundumConfig config) {
        super(lines, config.allPorts(), RUN_NANOS);
        device = new CorundumDevice(config, memory, vector -> {}, this::transmitted, () -> nowNanos, recorder);
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
        return run(name, reader, DEVICE,
                lines -> new CorundumReplay(lines, CorundumVectorConfig.of(lines.getFirst())));
    }

    @Override
    protected long read(long offset, int widthBytes) {
        return device.read(offset, widthBytes);
    }

    @Override
    protected void write(long offset, int widthBytes, long value) {
        device.write(offset, widthBytes, value);
    }

    @Override
    protected int work(int most) {
        return device.work(most);
    }

    @Override
    protected boolean isWaitingForTime() {
        return device.isWaitingForTime();
    }

    @Override
    protected void receive(int port, byte[] data, int offset, int lengthBytes) {
        device.receive(port, data, offset, lengthBytes);
    }

    @Override
    protected List<Action> takeActions() {
        return recorder.take();
    }

    @Override
    protected Optional<Difference> check() {
        return CorundumVectorConfig.check(lines.getFirst(), device);
    }

    @Override
    protected Optional<Difference> own(VectorLine line) {
        switch (line.op()) {
            case "link_status" -> forPorts(line, device::setLinkUp);
            case "hold_tx_completions" -> forPorts(line, device::setHoldTransmitReports);
            default -> {
                return super.own(line);
            }
        }
        return Optional.empty();
    }

    @Override
    protected Optional<Difference> end(int line) {
        return recorder.isEmpty() ? super.end(line) : compareRun(line);
    }

    /** The transmit queues of the coming run in the order of their descriptor reads. */
    @Override
    protected void prepare(int index) {
        device.arrangeBacklog(lines.subList(index + 1, lines.size()).stream()
                .takeWhile(line -> line.op().startsWith("expect_") && !line.op().equals("expect_idle"))
                .filter(line -> line.op().equals("expect_dma_read") && line.text("kind").equals("tx_desc"))
                .mapToInt(line -> line.number("queue", 0, Integer.MAX_VALUE)).distinct().toArray());
    }
}
