package dev.bascule.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;

/** What this process holds: descriptors of files, sockets and memory, and threads. */
final class Resources {
    private Resources() {}

    /** Descriptors by what they lead to, and live threads by name; those of the JVM and of test runners among them. */
    static TreeSet<String> held() throws IOException {
        TreeSet<String> held = new TreeSet<>();
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors) {
                try {
                    held.add(descriptor.getFileName() + " " + Files.readSymbolicLink(descriptor));
                } catch (IOException e) {
                    // the listing's own, which is closed by now
                }
            }
        }
        held.removeIf(name -> name.contains("/proc/"));
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            held.add("thread " + thread.getName());
        }
        return held;
    }
}
