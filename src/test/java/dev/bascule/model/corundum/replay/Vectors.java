package dev.bascule.model.corundum.replay;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** The captured runs among the test resources. */
final class Vectors {
    private Vectors() {}

    static List<String> names() {
        return List.of("arm", "cq-eq-commands", "link", "loopback", "mixed", "mixed-2", "overflow", "phase", "phc",
                "queue-commands", "regs-reset", "regs-write", "round-robin", "rx-bursts", "rx-limits", "rx-rss",
                "rx-rss-2", "rx-scatter", "scheduler", "statistics", "tx-checksum", "tx-checksum-2", "tx-clamp",
                "tx-fragments", "tx-pointers");
    }

    static BufferedReader open(String name) throws IOException {
        InputStream stream = Objects.requireNonNull(
                Vectors.class.getResourceAsStream("/vectors/corundum/" + name + ".jsonl.gz"), name);
        return new BufferedReader(new InputStreamReader(new GZIPInputStream(stream), StandardCharsets.UTF_8));
    }

    static List<String> lines(String name) throws IOException {
        try (BufferedReader reader = open(name)) {
            return reader.lines().toList();
        }
    }

    static BufferedReader of(List<String> lines) {
        return new BufferedReader(new StringReader(String.join("\n", lines)));
    }
}
