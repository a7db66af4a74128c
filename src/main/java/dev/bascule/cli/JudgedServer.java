package dev.bascule.cli;

import dev.bascule.app.judge.KillableServer;
import dev.bascule.ffi.Patience;
import dev.bascule.run.Failure;
import dev.bascule.run.UserProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The server of a card, started by the command that the user gave; what it says goes to standard error. */
final class JudgedServer implements KillableServer, AutoCloseable {
    private static final long START_NANOS = 60_000_000_000L;
    private static final long LOOK_NANOS = 20_000_000;

    private final String command;
    private final Path socket;
    private @Nullable Process process;

    JudgedServer(String command, Path socket) {
        this.command = command;
        this.socket = socket;
    }

    @Override
    public void start() {
        try {
            Files.deleteIfExists(socket); // of one that was killed
            ProcessBuilder shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true)
                    .redirectOutput(Path.of("/dev/stderr").toFile());
            UserProgram.giveBack(shell.environment());
            Process started = shell.start();
            process = started;
            Patience patience = new Patience(START_NANOS);
            while (!Files.exists(socket)) {
                if (!started.isAlive() || patience.isOver()) {
                    kill();
                    throw new Failure("--restart-command '" + command + "' made no socket " + socket
                            + (started.isAlive() ? " within a minute" : ": it ended with " + started.exitValue()));
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        } catch (IOException e) {
            throw new Failure("--restart-command '" + command + "': " + e.getMessage(), e);
        }
    }

    @Override
    public void kill() {
        Process running = process;
        process = null;
        if (running != null) {
            running.descendants().forEach(ProcessHandle::destroyForcibly); // those of the shell
            running.destroyForcibly().onExit().join();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
