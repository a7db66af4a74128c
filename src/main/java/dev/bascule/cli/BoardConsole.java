package dev.bascule.cli;

import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file in the place of a simulated Ensō board's console: settings that are written there take effect, which it says by
 * the word "set" before them. As on the board, a reset clears them, and empties the file.
 */
final class BoardConsole {
    static final String SYNTAX = "pipe-ring=FLITS notification-ring=ENTRIES inflight=ENTRIES per-packet=0|1";
    private static final List<String> WORDS = List.of("pipe-ring", "notification-ring", "inflight", "per-packet");
    private static final String SET = "set ";
    private static final int MOST_BYTES = 4096;

    private final Path file;
    private final EnsoDevice device;
    private final AtomicBoolean reset = new AtomicBoolean();
    private volatile String known = "";

    /** The device's resets clear its board from now on, and the file is emptied. */
    BoardConsole(Path file, EnsoDevice device) throws IOException {
        this.file = file;
        this.device = device;
        Files.writeString(file, "");
        device.resetBoardToo(this::reset);
        device.board(EnsoBoard.AFTER_LOAD);
    }

    /** During the reset, so that nothing is emptied that was written after it. */
    private void reset() {
        try {
            answer("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        reset.set(true);
    }

    /** Takes what was written since the last look; says what it set, or what is wrong with it, or nothing. */
    String look() throws IOException {
        if (reset.getAndSet(false)) {
            return "the board was reset: its settings are 0";
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException(file + " has more than " + MOST_BYTES + " bytes; a console gets one line: " + SYNTAX);
        }
        String text = Files.readString(file);
        if (text.equals(known) || !text.endsWith("\n")) {
            return ""; // nothing new, or not written to its end
        }
        try {
            EnsoBoard board = parse(text.strip());
            device.board(board);
            answer(SET + text);
            return "the board is set: pipe rings of " + board.pipeRingFlits() + ", notification rings of "
                    + board.notificationRingEntries() + ", " + board.inflightEntries() + " in flight"
                    + (board.perPacketNotification() ? ", a notification for each packet" : "");
        } catch (IllegalArgumentException e) {
            answer("refused " + text);
            return "not set: " + e.getMessage();
        }
    }

    /** So that who wrote knows that it was taken; a file of its own, as who reads meanwhile must not see half of it. */
    private void answer(String text) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        known = text;
    }

    static EnsoBoard parse(String line) {
        Map<String, Integer> values = new HashMap<>();
        for (String word : line.split("\\s+")) {
            String[] parts = word.split("=", 2);
            if (parts.length != 2 || !WORDS.contains(parts[0]) || !parts[1].matches("\\d{1,9}")) {
                throw new IllegalArgumentException("'" + word + "'; write " + SYNTAX);
            }
            values.put(parts[0], Integer.parseInt(parts[1]));
        }
        return new EnsoBoard(values.getOrDefault("pipe-ring", 0), values.getOrDefault("notification-ring", 0),
                values.getOrDefault("inflight", 0), values.getOrDefault("per-packet", 0) != 0);
    }
}
