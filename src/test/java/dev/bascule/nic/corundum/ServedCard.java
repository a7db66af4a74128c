package dev.bascule.nic.corundum;

import dev.bascule.device.DeviceBacking;
import dev.bascule.vfiouser.VfioUserDevice;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A card that {@code bascule serve} serves in a process of its own. */
final class ServedCard implements AutoCloseable {
    private final Process process;
    private final Path socket;

    private ServedCard(Process process, Path socket) {
        this.process = process;
        this.socket = socket;
    }

    /** Starts it; it listens when this returns. */
    static ServedCard start(Path socket, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), "dev.bascule.cli.Main", "serve", "--device", "corundum",
                "--socket", socket.toString()));
        command.addAll(List.of(words));
        Path log = socket.resolveSibling(socket.getFileName() + ".log");
        Process process = new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile())
                .redirectError(log.toFile()).start();
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        if (line == null) {
            throw new AssertionError("the card is not served: " + Files.readString(log));
        }
        Thread.ofVirtual().start(() -> drain(out)); // else it would stop at a full pipe
        return new ServedCard(process, socket);
    }

    private static void drain(BufferedReader out) {
        try {
            while (out.readLine() != null) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            // it was killed
        }
    }

    /** A driver's view of it; one at a time. */
    DeviceBacking connect() {
        return VfioUserDevice.open(socket);
    }

    Process process() {
        return process;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
