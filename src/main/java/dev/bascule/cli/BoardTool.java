package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceInfo;
import dev.bascule.ffi.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The command that makes the settings of an Ensō board; it finds them in its environment. */
final class BoardTool {
    private static final long LIMIT_NANOS = 120_000_000_000L;
    private static final int LAST_CHARACTERS = 400;

    private final HardwareConfig.Enso board;

    BoardTool(HardwareConfig.Enso board) {
        this.board = board;
    }

    /** Runs it to its end; a {@link DeviceException} says what it said if it failed. */
    void run(DeviceInfo card) {
        List<String> command = board.boardTool();
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("BASCULE_ENSO_DEVICE", card.address() == null ? card.name() : card.address().toString());
        environment.put("BASCULE_ENSO_PIPE_RING", Integer.toString(board.pipeRingFlits()));
        environment.put("BASCULE_ENSO_NOTIFICATION_RING", Integer.toString(board.notificationRingEntries()));
        environment.put("BASCULE_ENSO_INFLIGHT", Integer.toString(board.inflightEntries()));
        environment.put("BASCULE_ENSO_PER_PACKET", board.perPacketNotification() ? "1" : "0");
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            StringBuilder said = new StringBuilder();
            Thread reader = Thread.ofVirtual().start(() -> read(process, said));
            Patience patience = new Patience(LIMIT_NANOS);
            if (!patience.awaitEnd(process)) {
                process.destroyForcibly();
                throw failed(card, "it has not ended after " + patience, said);
            }
            reader.join();
            if (process.exitValue() != 0) {
                throw failed(card, "it ended with status " + process.exitValue(), said);
            }
        } catch (IOException e) {
            throw failed(card, "it cannot be started: " + e.getMessage(), "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(card, "it was interrupted", "");
        }
    }

    private static void read(Process process, StringBuilder into) {
        try {
            String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            into.append(all.substring(Math.max(0, all.length() - LAST_CHARACTERS)));
        } catch (IOException e) {
            into.append(e.getMessage());
        }
    }

    private DeviceException failed(DeviceInfo card, String what, CharSequence said) {
        return new DeviceException("set the board", card.toString(), String.join(" ", board.boardTool()) + ": " + what
                + (said.isEmpty() ? "" : "; it said: " + said),
                "mend enso.boardTool of the configuration; it is run while the card is open, since opening resets the card");
    }
}
