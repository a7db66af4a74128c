package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.replay.Difference;
import dev.bascule.model.replay.PortReplay;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorFormatException;
import dev.bascule.model.replay.VectorLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Replay of a captured run of the cndm RTL; virtual time passes in {@code run} and {@code settle} lines only. */
public final class CndmReplay {
    /** The first line's {@code device}. */
    public static final String DEVICE = "cndm";

    private static final long RUN_NANOS = 1_000_000;

    private CndmReplay() {}

    /**
     * Replays a run.
     *
     * @param name what to call it if the file does not say
     * @param reader the lines; not closed
     * @throws VectorFormatException if a line is not what the format allows
     * @throws IOException from the reader
     */
    public static ReplayResult run(String name, BufferedReader reader) throws IOException {
        return Replayed.run(name, reader);
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

    private static final class Replayed extends PortReplay {
        private final CndmDevice device;
        private final Deque<int[]> boardCommands = new ArrayDeque<>();
        private int[] boardAnswer = new int[CndmBoard.WORDS];

        Replayed(List<VectorLine> lines, CndmConfig config) {
            super(lines, config.ports(), RUN_NANOS);
            device = on(new CndmDevice(config, memory, vector -> {},
                    (port, data, lengthBytes) -> transmitted(port, data, 0, lengthBytes), () -> nowNanos,
                    lines.getFirst().flag("board_control") ? this::board : null, this::done));
        }

        static ReplayResult run(String name, BufferedReader reader) throws IOException {
            return run(name, reader, DEVICE, lines -> new Replayed(lines, config(lines.getFirst())));
        }

        @Override
        protected Optional<Difference> own(VectorLine line) {
            switch (line.op()) {
                case "hold_tx_completions" -> forPorts(line, (port, on) -> existing(port).setHoldReports(on));
                case "hold_wire" -> forPorts(line, (port, on) -> existing(port).setHoldWire(on));
                case "board_answer" -> boardAnswer = numbers(line, "words", texts(line, "words"));
                case "settle" -> nowNanos += RUN_NANOS;
                case "command" -> {
                    return command(line);
                }
                case "expect_board_command" -> {
                    return compareBoard(line);
                }
                default -> {
                    return super.own(line);
                }
            }
            return Optional.empty();
        }

        private CndmPort existing(int port) {
            return Objects.requireNonNull(device.port(port));
        }

        private int[] board(int[] words) {
            boardCommands.add(words);
            int[] merged = words.clone();
            System.arraycopy(boardAnswer, 0, merged, 0, Math.min(boardAnswer.length, merged.length));
            return merged;
        }

        private Optional<Difference> command(VectorLine line) {
            int[] words = numbers(line, "words", texts(line, "words", MAILBOX_WORDS));
            for (int i = 0; i < MAILBOX_WORDS; i++) {
                device.write(MAILBOX + 4L * i, 4, words[i]);
            }
            device.write(MAILBOX_CONTROL, 4, 1);
            List<String> answer = texts(line, "expect", MAILBOX_WORDS);
            Optional<Difference> difference = Optional.empty();
            for (int i = 0; i < MAILBOX_WORDS && difference.isEmpty(); i++) {
                difference = compareWord(line, MAILBOX + 4L * (MAILBOX_WORDS + i), answer.get(i));
            }
            return difference;
        }

        private Optional<Difference> compareBoard(VectorLine line) {
            counted(1);
            int[] wanted = numbers(line, "words", texts(line, "words", CndmBoard.WORDS));
            int[] given = boardCommands.poll();
            return Arrays.equals(wanted, given)
                    ? Optional.empty()
                    : Optional.of(new Difference(line.number(), "the board was given " + Arrays.toString(given)
                            + " instead of " + Arrays.toString(wanted)));
        }

        @Override
        protected Optional<Difference> compareRun(int line) {
            Optional<Difference> difference = super.compareRun(line);
            return difference.isEmpty() && !boardCommands.isEmpty()
                    ? Optional.of(new Difference(line, "the board was given another command"))
                    : difference;
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

        private static int[] numbers(VectorLine line, String field, List<String> texts) {
            try {
                return texts.stream().mapToInt(HexFormat::fromHexDigits).limit(MAILBOX_WORDS).toArray();
            } catch (IllegalArgumentException e) {
                throw line.wrong(field, String.valueOf(e.getMessage()));
            }
        }
    }
}
