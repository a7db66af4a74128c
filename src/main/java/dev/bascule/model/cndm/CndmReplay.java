package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.replay.Action;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Replays a captured run of the cndm RTL (JSON lines, the first one the configuration) on a fresh model, in virtual
 * time that passes in {@code run} and {@code settle} lines only, up to the first difference. What is compared, and
 * what not, is what the format says hardware guarantees.
 */
public final class CndmReplay {
    /** The first line's {@code device}. */
    public static final String DEVICE = "cndm";

    private static final int STEPS_AT_ONCE = 1 << 16;
    /** Far more than any file makes the device do in one run. */
    private static final int MAX_STEPS = 1 << 24;
    private static final long SETTLE_NANOS = 1_000_000;

    private final List<VectorLine> lines;
    private final SparseMemory memory = new SparseMemory();
    private final CndmConfig config;
    private final CndmDevice device;
    private final List<Expectation> expected = new ArrayList<>();
    private final List<Action> actions = new ArrayList<>();
    private final Deque<int[]> boardCommands = new ArrayDeque<>();
    private int[] boardAnswer = new int[CndmBoard.WORDS];
    private long nowNanos;
    private long loopbackPorts;
    private int stimuli;
    private int expectations;

    private CndmReplay(List<VectorLine> lines) {
        this.lines = lines;
        VectorLine first = lines.getFirst();
        config = config(first);
        device = new CndmDevice(config, memory, vector -> {}, this::transmitted, () -> nowNanos,
                first.flag("board_control") ? this::board : null, actions::add);
    }

    private static CndmConfig config(VectorLine line) {
        try {
            return new CndmConfig(line.number("ports", 1, 8), (int) line.number("fpga_id"),
                    (int) line.number("fw_id"), (int) line.number("fw_ver"), (int) line.number("board_id"),
                    (int) line.number("board_ver"), (int) line.number("build_date"), (int) line.number("git_hash"),
                    (int) line.number("release_info"), 0, ModelTiming.IMMEDIATE);
        } catch (IllegalArgumentException e) {
            throw new VectorFormatException(line.number(), String.valueOf(e.getMessage()));
        }
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
        if (lines.isEmpty() || !lines.getFirst().op().equals("config")
                || !lines.getFirst().text("device").equals(DEVICE)) {
            throw new VectorFormatException(1, "expected the configuration of a " + DEVICE);
        }
        CndmReplay replay = new CndmReplay(lines);
        List<String> differences = replay.run().stream().map(Difference::toString).toList();
        VectorLine config = lines.getFirst();
        return new ReplayResult(config.has("scenario") ? config.text("scenario") : name, replay.stimuli,
                replay.expectations, differences, differences.size());
    }

    private Optional<Difference> run() {
        Optional<Difference> difference = Optional.empty();
        for (int i = 1; i < lines.size() && difference.isEmpty(); i++) {
            difference = step(lines.get(i));
        }
        // what the device did after the last run of the file was not recorded
        return difference.isEmpty() && !expected.isEmpty() ? compareRun(lines.getLast().number()) : difference;
    }

    private Optional<Difference> step(VectorLine line) {
        stimuli += line.op().startsWith("expect_") || line.op().equals("read32") ? 0 : 1;
        switch (line.op()) {
            case "write32" -> device.write(line.number("addr"), 4, line.number("value"));
            case "write16" -> device.write(line.number("addr"), 2, line.number("value"));
            case "write8" -> device.write(line.number("addr"), 1, line.number("value"));
            case "mem_write" -> memory.write(line.number("addr"), exact(line));
            case "rx_packet" -> receive(line);
            case "wire_loopback" -> loopbackPorts = line.number("ports");
            case "hold_tx_completions" -> hold(line, CndmPort::setHoldReports);
            case "hold_wire" -> hold(line, CndmPort::setHoldWire);
            case "board_answer" -> boardAnswer = numbers(line, "words", texts(line, "words"));
            case "settle" -> nowNanos += SETTLE_NANOS;
            case "note" -> {
            }
            case "run" -> {
                return work(line);
            }
            case "command" -> {
                return command(line);
            }
            case "read32" -> {
                return compareRead(line.number(), line.number("addr"), line.text("expect").substring(2), line);
            }
            case "expect_board_command" -> {
                return compareBoard(line);
            }
            case "expect_idle" -> {
                return compareRun(line.number());
            }
            default -> expected.add(Expectation.of(line));
        }
        return Optional.empty();
    }

    private interface Hold {
        void set(CndmPort port, boolean on);
    }

    private void hold(VectorLine line, Hold hold) {
        long mask = line.number("ports");
        for (int number = 0; number < config.ports(); number++) {
            CndmPort port = device.port(number);
            if (port != null) {
                hold.set(port, (mask >> number & 1) != 0);
            }
        }
    }

    private void receive(VectorLine line) {
        byte[] frame = exact(line);
        int port = line.number("port", 0, config.ports() - 1);
        if (!line.flag("bad", false)) { // a bad one is dropped before it is whole
            device.receive(port, frame, 0, frame.length);
        }
    }

    private void transmitted(int port, byte[] data, int lengthBytes) {
        if ((loopbackPorts >> port & 1) != 0) {
            device.receive(port, data, 0, lengthBytes);
        }
    }

    private int[] board(int[] words) {
        boardCommands.add(words);
        int[] merged = words.clone();
        System.arraycopy(boardAnswer, 0, merged, 0, Math.min(boardAnswer.length, merged.length));
        return merged;
    }

    private Optional<Difference> work(VectorLine line) {
        int steps = 0;
        int done;
        do {
            done = device.work(STEPS_AT_ONCE);
            steps += done;
            if (done == 0 && device.isWaitingForTime()) {
                done = 1;
                nowNanos += SETTLE_NANOS;
            }
        } while (done != 0 && steps < MAX_STEPS);
        nowNanos += SETTLE_NANOS;
        return steps < MAX_STEPS
                ? Optional.empty()
                : Optional.of(new Difference(line.number(), "the device does not come to rest"));
    }

    private Optional<Difference> command(VectorLine line) {
        int[] words = words(line, "words", MAILBOX_WORDS);
        for (int i = 0; i < MAILBOX_WORDS; i++) {
            device.write(MAILBOX + 4L * i, 4, words[i]);
        }
        device.write(MAILBOX_CONTROL, 4, 1);
        List<String> answer = texts(line, "expect", MAILBOX_WORDS);
        Optional<Difference> difference = Optional.empty();
        for (int i = 0; i < MAILBOX_WORDS && difference.isEmpty(); i++) {
            difference = compareRead(line.number(), MAILBOX + 4L * (MAILBOX_WORDS + i), answer.get(i), line);
        }
        return difference;
    }

    private Optional<Difference> compareRead(int number, long address, String wanted, VectorLine line) {
        expectations++;
        int found = (int) device.read(address, 4);
        HexPattern pattern = pattern(line, wanted);
        if (pattern.bytes().length == 4
                && pattern.firstDifference(ByteBuffer.allocate(4).putInt(found).array(), 0) < 0) {
            return Optional.empty();
        }
        return Optional.of(new Difference(number,
                "register 0x%08x: expected %s, got %08x".formatted(address, wanted, found)));
    }

    private Optional<Difference> compareBoard(VectorLine line) {
        expectations++;
        int[] wanted = words(line, "words", CndmBoard.WORDS);
        int[] given = boardCommands.poll();
        return Arrays.equals(wanted, given)
                ? Optional.empty()
                : Optional.of(new Difference(line.number(), "the board was given " + Arrays.toString(given)
                        + " instead of " + Arrays.toString(wanted)));
    }

    private Optional<Difference> compareRun(int line) {
        expectations += expected.size() + 1;
        Optional<Difference> difference = RunComparison.compare(expected, actions, line);
        expected.clear();
        actions.clear();
        if (difference.isEmpty() && !boardCommands.isEmpty()) {
            difference = Optional.of(new Difference(line, "the board was given another command"));
        }
        return difference;
    }

    private static HexPattern pattern(VectorLine line, String hex) {
        try {
            return HexPattern.parse(hex);
        } catch (IllegalArgumentException e) {
            throw line.wrong("expect", String.valueOf(e.getMessage()));
        }
    }

    private static List<String> texts(VectorLine line, String field) {
        if (line.get(field) instanceof List<?> list) {
            return list.stream().map(String::valueOf).toList();
        }
        throw line.wrong(field, "is not a list");
    }

    private static List<String> texts(VectorLine line, String field, int count) {
        List<String> texts = texts(line, field);
        if (texts.size() != count) {
            throw line.wrong(field, "has " + texts.size() + " words, not " + count);
        }
        return texts;
    }

    private static int[] words(VectorLine line, String field, int count) {
        return numbers(line, field, texts(line, field, count));
    }

    private static int[] numbers(VectorLine line, String field, List<String> texts) {
        try {
            return texts.stream().mapToInt(HexFormat::fromHexDigits).limit(MAILBOX_WORDS).toArray();
        } catch (IllegalArgumentException e) {
            throw line.wrong(field, String.valueOf(e.getMessage()));
        }
    }

    private static byte[] exact(VectorLine line) {
        HexPattern pattern = line.hex("hex");
        if (!pattern.exact()) {
            throw line.wrong("hex", "has unspecified nibbles in a stimulus");
        }
        return pattern.bytes();
    }
}
