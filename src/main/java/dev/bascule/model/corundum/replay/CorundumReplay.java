package dev.bascule.model.corundum.replay;

import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumDevice;
import dev.bascule.model.replay.Difference;
import dev.bascule.model.replay.Expectation;
import dev.bascule.model.replay.HexPattern;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.RunComparison;
import dev.bascule.model.replay.SparseMemory;
import dev.bascule.model.replay.VectorFormatException;
import dev.bascule.model.replay.VectorLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Replays a captured run of the Corundum RTL (JSON lines, the first one the configuration) on a fresh model, in virtual
 * time that passes in {@code run} lines only, up to the first difference. What is compared, and what not, is what the
 * format says hardware guarantees.
 */
public final class CorundumReplay {
    /** The first line's {@code device}. */
    public static final String DEVICE = "corundum mqnic";

    private static final int WORD_DIGITS = 10;
    private static final int STEPS_AT_ONCE = 1 << 16;
    /** Far more than any file makes the device do in one run. */
    private static final int MAX_STEPS = 1 << 24;
    private static final long RUN_NANOS = 100_000;
    private static final long TIMER_NANOS = 1_000_000;

    private final List<VectorLine> lines;
    private final SparseMemory memory = new SparseMemory();
    private final CorundumRecorder recorder = new CorundumRecorder();
    private final CorundumConfig config;
    private final CorundumDevice device;
    private final List<Expectation> expected = new ArrayList<>();
    private long nowNanos;
    private long loopbackPorts;
    private int stimuli;
    private int expectations;

    private CorundumReplay(List<VectorLine> lines) {
        this.lines = lines;
        config = CorundumVectorConfig.of(lines.get(0));
        device = new CorundumDevice(config, memory, vector -> {}, this::transmitted, () -> nowNanos, recorder);
    }

    /**
     * Replays a run.
     *
     * @param name what to call it if the file does not say
     * @param reader the lines; not closed
     * @throws VectorFormatException if a line is not what the format allows
     * @throws IOException from the reader
     */
    public static ReplayResult run(String name, BufferedReader reader) throws IOException {
        List<VectorLine> lines = new ArrayList<>();
        VectorLine.forEach(reader, lines::add);
        if (lines.isEmpty() || !lines.get(0).op().equals("config") || !lines.get(0).text("device").equals(DEVICE)) {
            throw new VectorFormatException(1, "expected the configuration of a " + DEVICE);
        }
        CorundumReplay replay = new CorundumReplay(lines);
        List<String> differences = replay.run().stream().map(Difference::toString).toList();
        VectorLine config = lines.get(0);
        return new ReplayResult(config.has("scenario") ? config.text("scenario") : name, replay.stimuli,
                replay.expectations, differences, differences.size());
    }

    private Optional<Difference> run() {
        Optional<Difference> difference = CorundumVectorConfig.check(lines.get(0), device);
        for (int i = 1; i < lines.size() && difference.isEmpty(); i++) {
            difference = step(i);
        }
        if (difference.isEmpty() && !(expected.isEmpty() && recorder.isEmpty())) {
            // the file ends without saying so
            difference = compareRun(lines.getLast().number());
        }
        return difference;
    }

    private Optional<Difference> step(int index) {
        VectorLine line = lines.get(index);
        stimuli += line.op().startsWith("expect_") || line.op().equals("read32") ? 0 : 1;
        switch (line.op()) {
            case "write32" -> device.write(line.number("addr"), 4, line.number("value"));
            case "write16" -> device.write(line.number("addr"), 2, line.number("value"));
            case "write8" -> device.write(line.number("addr"), 1, line.number("value"));
            case "mem_write" -> memory.write(line.number("addr"), exact(line));
            case "rx_packet" -> receive(line);
            case "wire_loopback" -> loopbackPorts = line.number("ports");
            case "link_status" -> forPorts(line.number("ports"), device::setLinkUp);
            case "hold_tx_completions" -> forPorts(line.number("ports"), device::setHoldTransmitReports);
            case "note" -> {
            }
            case "run" -> {
                return work(index);
            }
            case "read32" -> {
                return compareRead(line);
            }
            case "expect_idle" -> {
                return compareRun(line.number());
            }
            default -> expected.add(Expectation.of(line));
        }
        return Optional.empty();
    }

    private interface PortSetting {
        void set(int port, boolean on);
    }

    private void forPorts(long mask, PortSetting setting) {
        for (int port = 0; port < config.allPorts(); port++) {
            setting.set(port, (mask >> port & 1) != 0);
        }
    }

    private void receive(VectorLine line) {
        int port = line.number("port", 0, Integer.MAX_VALUE);
        if (port >= config.allPorts()) {
            throw line.wrong("port", "is " + port + ", which the device does not have");
        }
        byte[] frame = exact(line);
        device.receive(port, frame, 0, frame.length);
    }

    private void transmitted(int port, byte[] data, int offset, int lengthBytes) {
        if ((loopbackPorts >> port & 1) != 0) {
            device.receive(port, data, offset, lengthBytes);
        }
    }

    private Optional<Difference> work(int index) {
        device.arrangeBacklog(expectedTransmitOrder(index));
        int steps = 0;
        int done;
        do {
            done = device.work(STEPS_AT_ONCE);
            steps += done;
            if (done == 0 && device.isWaitingForTime()) {
                nowNanos += TIMER_NANOS;
                done = 1;
            }
        } while (done != 0 && steps < MAX_STEPS);
        nowNanos += RUN_NANOS;
        return steps < MAX_STEPS
                ? Optional.empty()
                : Optional.of(new Difference(lines.get(index).number(), "the device does not come to rest"));
    }

    /** The transmit queues of the coming run in the order of their descriptor reads. */
    private int[] expectedTransmitOrder(int runIndex) {
        return lines.subList(runIndex + 1, lines.size()).stream()
                .takeWhile(line -> line.op().startsWith("expect_") && !line.op().equals("expect_idle"))
                .filter(line -> line.op().equals("expect_dma_read") && line.text("kind").equals("tx_desc"))
                .mapToInt(line -> line.number("queue", 0, Integer.MAX_VALUE)).distinct().toArray();
    }

    private Optional<Difference> compareRead(VectorLine line) {
        expectations++;
        int found = (int) device.read(line.number("addr"), 4);
        String wanted = line.text("expect");
        if (wordPattern(line, wanted).firstDifference(ByteBuffer.allocate(4).putInt(found).array(), 0) < 0) {
            return Optional.empty();
        }
        return Optional.of(new Difference(line.number(),
                "register 0x%08x: expected %s, got 0x%08x".formatted(line.number("addr"), wanted, found)));
    }

    private static HexPattern wordPattern(VectorLine line, String wanted) {
        if (wanted.length() != WORD_DIGITS || !wanted.startsWith("0x")) {
            throw line.wrong("expect", "is not 0x and 8 digits");
        }
        try {
            return HexPattern.parse(wanted.substring(2));
        } catch (IllegalArgumentException e) {
            throw line.wrong("expect", String.valueOf(e.getMessage()));
        }
    }

    private static byte[] exact(VectorLine line) {
        HexPattern pattern = line.hex("hex");
        if (!pattern.exact()) {
            throw line.wrong("hex", "has unspecified nibbles in a stimulus");
        }
        return pattern.bytes();
    }

    private Optional<Difference> compareRun(int line) {
        expectations += expected.size() + 1;
        Optional<Difference> difference = RunComparison.compare(expected, recorder.take(), line);
        expected.clear();
        return difference;
    }
}
