package dev.bascule.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/** Things that a reader has beside him: the clone, the tutorial's files, a policy of his own, captures, a program. */
final class PageFixture {
    private static final Pattern PROGRAM_OF_PAGE = Pattern.compile("(?s)```java file=(\\w+\\.java)\n(.*?)```");
    private static final String PROGRAM = "#!/bin/sh\nexec sleep 1\n";

    private final Path all;
    private final Path jar;
    private final String tutorial;
    private final AtomicInteger made = new AtomicInteger();

    PageFixture(Path all) throws Exception {
        this.all = all;
        tutorial = Files.readString(ShellBlock.ROOT.resolve("src/site/markdown/tutorial.md"));
        jar = PolicyJar.in(Files.createDirectory(all.resolve("jar")));
        make("capture", "-w", "trace.pcap", "--count", "100");
        make("capture", "-w", "trace.pcapng", "--count", "100");
        make("fabric", "frames", "hw-configs/fabric/private-inference.yaml", "--count", "100", "--out", "images.pcap");
    }

    /** A file by the launcher, for all blocks. */
    private void make(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of(ShellBlock.ROOT.resolve("scripts/bascule").toString()));
        all.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true).directory(made().toFile())
                .redirectInput(Path.of("/dev/null").toFile());
        builder.environment().put("BASCULE_NO_BUILD", "1");
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(all + ": " + said);
        }
    }

    private Path made() throws IOException {
        Path folder = all.resolve("made");
        if (!Files.exists(folder)) {
            Files.createDirectory(folder);
            Files.createSymbolicLink(folder.resolve("hw-configs"), ShellBlock.ROOT.resolve("hw-configs"));
        }
        return folder;
    }

    /** A folder for one block. */
    Path folder() throws IOException {
        Path folder = Files.createDirectory(all.resolve("b" + made.incrementAndGet()));
        for (String name : new String[] { "scripts", "hw-configs", "src", "target", "native" }) {
            Files.createSymbolicLink(folder.resolve(name), ShellBlock.ROOT.resolve(name));
        }
        Path programs = Files.createDirectory(folder.resolve(".bin"));
        Files.createSymbolicLink(programs.resolve("bascule"), ShellBlock.ROOT.resolve("scripts/bascule"));
        for (String name : new String[] { "sejf.jar", "my.jar", "sums.jar" }) {
            Files.createSymbolicLink(folder.resolve(name), jar);
        }
        for (Matcher file = PROGRAM_OF_PAGE.matcher(tutorial); file.find();) {
            Files.writeString(folder.resolve(file.group(1)), file.group(2));
        }
        for (String name : new String[] { "server", "sim", "db" }) {
            Files.writeString(folder.resolve(name), PROGRAM).toFile().setExecutable(true);
        }
        Files.createSymbolicLink(Files.createDirectory(folder.resolve("build")).resolve("classes"),
                jar.resolveSibling("classes"));
        Path made = made();
        for (String name : new String[] { "trace.pcap", "trace.pcapng", "images.pcap" }) {
            Files.copy(made.resolve(name), folder.resolve(name));
        }
        Files.copy(made.resolve("trace.pcap"), folder.resolve("logs.pcap"));
        Files.copy(made.resolve("images.pcap"), folder.resolve("in.pcap"));
        try (InputStream vector = new GZIPInputStream(Files.newInputStream(
                ShellBlock.ROOT.resolve("src/test/resources/vectors/corundum/link.jsonl.gz")))) {
            Files.copy(vector, folder.resolve("loopback.jsonl"));
        }
        Files.createDirectories(folder.resolve(".local/share/bash-completion/completions"));
        Files.createDirectories(folder.resolve(".config/fish/completions"));
        Files.copy(ShellBlock.ROOT.resolve("hw-configs/fabric/private-inference.yaml"), folder.resolve("graph.yaml"));
        Path costs = ShellBlock.ROOT.resolve("hw-configs/costs");
        Files.copy(costs.resolve("published.yaml"), folder.resolve("my-costs.yaml"));
        Files.copy(costs.resolve("interconnects.yaml"), folder.resolve("my-interconnects.yaml"));
        Files.writeString(folder.resolve("ops.txt"), "1\n");
        Files.writeString(folder.resolve("filters.txt"), "error\n");
        return folder;
    }
}
