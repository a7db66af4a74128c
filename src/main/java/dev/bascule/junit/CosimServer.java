package dev.bascule.junit;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A compiled design as a process that serves it at a socket, in a folder of its own.
 * <p>
 * Thread rule: one thread. Errors: {@link DeviceException} with what the program said.
 */
public final class CosimServer implements AutoCloseable {
    private static final long START_SECONDS = 60;
    private static final long LOOK_NANOS = 1_000_000;

    private final Path program;
    private final Path folder;
    private Process process;

    private CosimServer(Path program, Path folder) throws IOException {
        this.program = program;
        this.folder = folder;
        this.process = run();
    }

    /** Starts a program and waits until it serves. */
    static CosimServer start(Path program) {
        if (!Files.isExecutable(program)) {
            throw new DeviceException("start a design", program.toString(), "there is no such program",
                    "compile it; the example's is made by: scripts/build-native cosim");
        }
        try {
            CosimServer server = new CosimServer(program, Files.createTempDirectory("bascule-cosim"));
            server.awaitServing();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process run() throws IOException {
        return new ProcessBuilder(program.toAbsolutePath().toString(), socket().toString()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile())).start();
    }

    private Path log() {
        return folder.resolve("log");
    }

    private void awaitServing() {
        Patience patience = new Patience(TimeUnit.SECONDS.toNanos(START_SECONDS));
        while (!isServing()) {
            if (!process.isAlive() || patience.isOver()) {
                String said = said();
                close();
                throw new DeviceException("start a design", program.toString(),
                        "it does not serve at the socket it was given" + (said.isEmpty() ? "" : "; it says: " + said),
                        "see that its last argument is the socket's path, and run it by hand");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private boolean isServing() {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            return channel.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Where it serves. */
    public Path socket() {
        return folder.resolve("socket");
    }

    /** Text that the server has printed so far. */
    public String said() {
        try {
            return Files.readString(log()).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The process, for its number and what it uses. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Ends it as {@code kill -9} does, and waits until it is gone; the socket stays behind. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Starts it anew at the same socket, as after power-on. */
    public void restart() {
        kill();
        try {
            process = run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitServing();
    }

    @Override
    public void close() {
        kill();
        try {
            Files.deleteIfExists(socket());
            Files.deleteIfExists(log());
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
