package dev.bascule.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running {@code bascule lauberhorn serve}, or {@code rpc serve}, in a process of its own. */
final class LauberhornServer implements AutoCloseable {
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final Pattern PORT = Pattern.compile("UDP port (\\d+)");

    private final Process process;
    private final Path out;
    private final String said;

    /** Starts it and waits until it serves. */
    LauberhornServer(Path folder, String... options) throws IOException {
        this(folder, "lauberhorn", "processes,", options);
    }

    /** One of {@code rpc serve}. */
    static LauberhornServer steering(Path folder, String... options) throws IOException {
        return new LauberhornServer(folder, "rpc", "cores, steered by", options);
    }

    private LauberhornServer(Path folder, String command, String begun, String... options) throws IOException {
        out = folder.resolve("serve.json");
        Path errors = folder.resolve("serve.err");
        List<String> words = new ArrayList<>(List.of(command, "serve", "--json"));
        words.addAll(List.of(options));
        process = new ProcessBuilder(Cli.command(List.of(), words.toArray(String[]::new)))
                .redirectOutput(out.toFile()).redirectError(errors.toFile()).start();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!Files.readString(errors).contains(begun)) {
            LockSupport.parkNanos(10_000_000);
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                throw new AssertionError("serve did not begin: " + Files.readString(errors));
            }
        }
        said = Files.readString(errors);
    }

    /** The UDP port that it listens at. */
    int port() {
        Matcher matcher = PORT.matcher(said);
        if (!matcher.find()) {
            throw new AssertionError("no port in: " + said);
        }
        return Integer.parseInt(matcher.group(1));
    }

    Process process() {
        return process;
    }

    /** Ends it as Ctrl-C would, and returns what it printed. */
    String end() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("serve did not end");
        }
        return Files.readString(out);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
