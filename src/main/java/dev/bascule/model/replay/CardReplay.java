package dev.bascule.model.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A captured run of a card's RTL (JSON lines, the first one the configuration) on a fresh model, in virtual time that passes
 * where lines let it, up to the first difference. What is compared, and what not, is what the format says hardware
 * guarantees. A card adds its own lines and its own order of things.
 */
public abstract class CardReplay {
    /** Something that a mask of ports switches on or off. */
    protected interface PortSetting {
        /** Setting of a port. */
        void set(int port, boolean on);
    }

    private static final int STEPS_AT_ONCE = 1 << 16;
    /** Far more than any file makes the device do in one run. */
    private static final int MAX_STEPS = 1 << 24;
    private static final long TIMER_NANOS = 1_000_000;
    private static final int WORD_DIGITS = 10;

    /** All lines, the configuration first. */
    protected final List<VectorLine> lines;
    /** Host memory. */
    protected final SparseMemory memory = new SparseMemory();
    /** Virtual time, ns. */
    protected long nowNanos;
    private final int ports;
    private final long runNanos;
    private final List<Expectation> expected = new ArrayList<>();
    private long loopbackPorts;
    private int stimuli;
    private int expectations;

    /** A replay on a card of so many ports; {@code runNanos} pass in each run. */
    protected CardReplay(List<VectorLine> lines, int ports, long runNanos) {
        this.lines = lines;
        this.ports = ports;
        this.runNanos = runNanos;
    }

    /**
     * Replay of a run, and its outcome.
     *
     * @param name what to call it if the file does not say
     * @param reader the lines; not closed
     * @param device the first line's {@code device}
     * @param start makes the replay of these lines
     * @throws VectorFormatException if a line is not what the format allows
     * @throws IOException from the reader
     */
    protected static ReplayResult run(String name, BufferedReader reader, String device,
            Function<List<VectorLine>, CardReplay> start) throws IOException {
        List<VectorLine> lines = new ArrayList<>();
        VectorLine.forEach(reader, lines::add);
        if (lines.isEmpty() || !lines.getFirst().op().equals("config")
                || !lines.getFirst().text("device").equals(device)) {
            throw new VectorFormatException(1, "expected the configuration of a " + device);
        }
        CardReplay replay = start.apply(lines);
        List<String> differences = replay.run().stream().map(Difference::toString).toList();
        VectorLine config = lines.getFirst();
        return new ReplayResult(config.has("scenario") ? config.text("scenario") : name, replay.stimuli,
                replay.expectations, differences, differences.size());
    }

    /** Value of a register of the model. */
    protected abstract long read(long offset, int widthBytes);

    /** Write to a register of the model. */
    protected abstract void write(long offset, int widthBytes, long value);

    /** Steps of the model, so many at the most; says how many there were. */
    protected abstract int work(int most);

    /** Whether the model goes on once time has passed. */
    protected abstract boolean isWaitingForTime();

    /** Arrival of a frame at a port of the model. */
    protected abstract void receive(int port, byte[] data, int offset, int lengthBytes);

    /** Actions of the model since the last call. */
    protected abstract List<Action> takeActions();

    /** Difference between the configuration and what the model says of itself. */
    protected Optional<Difference> check() {
        return Optional.empty();
    }

    /** Preparation of the run at this line. */
    protected void prepare(int index) {}

    /** A line that other cards do not have; one that none has is what the next comparison expects. */
    protected Optional<Difference> own(VectorLine line) {
        expected.add(Expectation.of(line));
        return Optional.empty();
    }

    /** Comparison at the end of a file that does not say so. */
    protected Optional<Difference> end(int line) {
        return expected.isEmpty() ? Optional.empty() : compareRun(line);
    }

    private Optional<Difference> run() {
        Optional<Difference> difference = check();
        for (int i = 1; i < lines.size() && difference.isEmpty(); i++) {
            difference = step(i);
        }
        return difference.isEmpty() ? end(lines.getLast().number()) : difference;
    }

    private Optional<Difference> step(int index) {
        VectorLine line = lines.get(index);
        stimuli += line.op().startsWith("expect_") || line.op().equals("read32") ? 0 : 1;
        switch (line.op()) {
            case "write32" -> write(line.number("addr"), 4, line.number("value"));
            case "write16" -> write(line.number("addr"), 2, line.number("value"));
            case "write8" -> write(line.number("addr"), 1, line.number("value"));
            case "mem_write" -> memory.write(line.number("addr"), exact(line));
            case "rx_packet" -> arrive(line);
            case "wire_loopback" -> loopbackPorts = line.number("ports");
            case "note" -> {
            }
            case "run" -> {
                return rest(index);
            }
            case "read32" -> {
                return compareRead(line);
            }
            case "expect_idle" -> {
                return compareRun(line.number());
            }
            default -> {
                return own(line);
            }
        }
        return Optional.empty();
    }

    /** Setting of each port as the line's mask says. */
    protected final void forPorts(VectorLine line, PortSetting setting) {
        long mask = line.number("ports");
        for (int port = 0; port < ports; port++) {
            setting.set(port, (mask >> port & 1) != 0);
        }
    }

    private void arrive(VectorLine line) {
        int port = line.number("port", 0, Integer.MAX_VALUE);
        if (port >= ports) {
            throw line.wrong("port", "is " + port + ", which the device does not have");
        }
        byte[] frame = exact(line);
        if (!line.flag("bad", false)) { // a bad one is dropped before it is whole
            receive(port, frame, 0, frame.length);
        }
    }

    /** A frame that the model has sent comes back, if the port's wire is a loop. */
    protected final void transmitted(int port, byte[] data, int offset, int lengthBytes) {
        if ((loopbackPorts >> port & 1) != 0) {
            receive(port, data, offset, lengthBytes);
        }
    }

    private Optional<Difference> rest(int index) {
        prepare(index);
        int steps = 0;
        int done;
        do {
            done = work(STEPS_AT_ONCE);
            steps += done;
            if (done == 0 && isWaitingForTime()) {
                nowNanos += TIMER_NANOS;
                done = 1;
            }
        } while (done != 0 && steps < MAX_STEPS);
        nowNanos += runNanos;
        return steps < MAX_STEPS
                ? Optional.empty()
                : Optional.of(new Difference(lines.get(index).number(), "the device does not come to rest"));
    }

    private Optional<Difference> compareRead(VectorLine line) {
        String wanted = line.text("expect");
        if (wanted.length() != WORD_DIGITS || !wanted.startsWith("0x")) {
            throw line.wrong("expect", "is not 0x and 8 digits");
        }
        return compareWord(line, line.number("addr"), wanted.substring(2));
    }

    /** Comparison of a register with eight digits, of which some may be unspecified. */
    protected final Optional<Difference> compareWord(VectorLine line, long address, String digits) {
        counted(1);
        int found = (int) read(address, 4);
        HexPattern pattern;
        try {
            pattern = HexPattern.parse(digits);
        } catch (IllegalArgumentException e) {
            throw line.wrong("expect", String.valueOf(e.getMessage()));
        }
        if (pattern.bytes().length != 4) {
            throw line.wrong("expect", "has a word that is not 8 digits");
        }
        return pattern.firstDifference(ByteBuffer.allocate(4).putInt(found).array(), 0) < 0
                ? Optional.empty()
                : Optional.of(new Difference(line.number(),
                        "register 0x%08x: expected 0x%s, got 0x%08x".formatted(address, digits, found)));
    }

    /** Count of comparisons, of which there were so many more. */
    protected final void counted(int comparisons) {
        expectations += comparisons;
    }

    /** Comparison of what was expected since the last one with what the model did. */
    protected Optional<Difference> compareRun(int line) {
        counted(expected.size() + 1);
        Optional<Difference> difference = RunComparison.compare(expected, takeActions(), line);
        expected.clear();
        return difference;
    }

    private static byte[] exact(VectorLine line) {
        HexPattern pattern = line.hex("hex");
        if (!pattern.exact()) {
            throw line.wrong("hex", "has unspecified nibbles in a stimulus");
        }
        return pattern.bytes();
    }
}
