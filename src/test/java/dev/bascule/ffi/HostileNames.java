package dev.bascule.ffi;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processes whose names have all byte values that the kernel takes: 255 in words and environment, 254 in the name of the file
 * that they run and map, 15 of these a process in its own name. They sleep until closed. One thread.
 */
public final class HostileNames implements AutoCloseable {
    private static final int MOST_COMM = 15;

    private final List<Process> processes = new ArrayList<>();

    /** Starts one process for each 15 bytes. */
    public HostileNames(Path folder) throws IOException, InterruptedException {
        byte[] name = bytes('/');
        for (int from = 0; from < name.length; from += MOST_COMM) {
            byte[] turned = new byte[name.length];
            for (int n = 0; n < name.length; n++) {
                turned[n] = name[(from + n) % name.length];
            }
            byte[] path = path(folder, turned);
            copy(path);
            processes.add(ProgramStart.start(List.of(path, "1000".getBytes(StandardCharsets.US_ASCII)),
                    List.of(variable())));
        }
    }

    /** All bytes but zero and one other. */
    public static byte[] bytes(char without) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int value = 1; value < 256; value++) {
            if (value != without) {
                all.write(value);
            }
        }
        return all.toByteArray();
    }

    /** NAME=VALUE with all bytes. */
    static byte[] variable() {
        return join("ALL=".getBytes(StandardCharsets.US_ASCII), bytes('\0'));
    }

    private static byte[] path(Path folder, byte[] name) {
        return join((folder + "/").getBytes(StandardCharsets.UTF_8), name);
    }

    private static byte[] join(byte[] one, byte[] other) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(one);
        all.writeBytes(other);
        return all.toByteArray();
    }

    private static void copy(byte[] path) throws InterruptedException {
        Process copy = ProgramStart.start(List.of("cp".getBytes(StandardCharsets.US_ASCII),
                "/bin/sleep".getBytes(StandardCharsets.US_ASCII), path), List.of());
        if (copy.waitFor() != 0) {
            throw new AssertionError("cp to a name of all bytes ended with " + copy.exitValue());
        }
    }

    /** Those that sleep. */
    public List<Process> processes() {
        return processes;
    }

    @Override
    public void close() throws InterruptedException {
        for (Process one : processes) {
            one.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
        }
    }
}
