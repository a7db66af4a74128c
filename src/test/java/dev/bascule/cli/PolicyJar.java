package dev.bascule.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A user's jar with a policy: compiled here, known to nobody's class path. */
final class PolicyJar {
    /**
     * Shortest expected job first. With the option {@code note} it writes down the hints of the first request of class 1
     * that it is told of; {@code broken} makes its constructor throw.
     */
    private static final String SEJF = """
            package my;

            import dev.bascule.agent.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.Map;

            public final class Sejf extends QueueAgent {
                private final String note;
                private boolean noted;
                private long[] expected = {};
                private boolean[] queued = {};

                public Sejf() {
                    this(Map.of());
                }

                public Sejf(Map<String, String> options) {
                    if (options.containsKey("broken")) {
                        throw new IllegalStateException("no luck today");
                    }
                    note = options.getOrDefault("note", "");
                }

                @Override protected void clear(EnclaveShape shape) {
                    expected = new long[shape.tasks()];
                    queued = new boolean[shape.tasks()];
                }

                @Override protected void observe(Message message) {
                    if (message.type() != MessageType.TASK_WAKEUP) {
                        return;
                    }
                    expected[message.task()] = message.expectedNanos();
                    if (!noted && !note.isEmpty() && message.taskClass() == 1) {
                        noted = true;
                        try {
                            Files.writeString(Path.of(note), "nice " + message.nice() + ", expected "
                                    + message.expectedNanos() + ", deadline " + (message.deadlineNanos() != 0));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                }

                @Override protected void enqueue(int task) {
                    queued[task] = true;
                }

                @Override protected void remove(int task) {
                    queued[task] = false;
                }

                @Override protected int pick(int cpu) {
                    int best = NONE;
                    for (int task = 0; task < queued.length; task++) {
                        boolean better = best == NONE || expected[task] < expected[best];
                        best = queued[task] && mayUse(task, cpu) && better ? task : best;
                    }
                    if (best != NONE) {
                        queued[best] = false;
                    }
                    return best;
                }
            }
            """;
    private static final String NO_AGENT = """
            package my;

            public final class NoAgent {}
            """;
    private static final String DEMANDING = """
            package my;

            public final class Demanding implements dev.bascule.agent.Agent {
                public Demanding(int argument) {}
                @Override public void reset(dev.bascule.agent.Enclave enclave) {}
                @Override public int doWork(dev.bascule.agent.Enclave enclave) { return 0; }
            }
            """;
    private static final String PLAIN = """
            package my;

            public final class Plain implements dev.bascule.agent.Agent {
                @Override public void reset(dev.bascule.agent.Enclave enclave) {}
                @Override public int doWork(dev.bascule.agent.Enclave enclave) { return 0; }
            }
            """;

    /** The service of lauberhorn.md. */
    private static final String SUMS = """
            package my;

            import dev.bascule.host.lauberhorn.*;

            @RpcProgram(number = 0x20000001)
            public interface Sums {
                @RpcProcedure(1)
                long add(long a, long b);
            }
            """;
    private static final String SUMS_OBJECT = """
            package my;

            public final class SumsObject implements Sums {
                public long add(long a, long b) { return a + b; }
            }
            """;

    private static final Map<String, String> SOURCES = Map.of("Sejf", SEJF, "NoAgent", NO_AGENT, "Demanding", DEMANDING,
            "Plain", PLAIN, "Sums", SUMS, "SumsObject", SUMS_OBJECT);

    private PolicyJar() {}

    /** Builds the jar in the folder. */
    static Path in(Path folder) throws IOException {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        List<String> command = new ArrayList<>(
                List.of("-nowarn", "-proc:none", "-d", classes.toString(), "-cp", classPath()));
        for (Map.Entry<String, String> one : SOURCES.entrySet()) {
            command.add(Files.writeString(folder.resolve(one.getKey() + ".java"), one.getValue()).toString());
        }
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, command.toArray(String[]::new)) != 0) {
            throw new IllegalStateException("the policies do not compile");
        }
        Path jar = folder.resolve("sejf.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> all = Files.walk(classes)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }

    /** This process's, absolute: for processes in other folders. */
    static String classPath() {
        List<String> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(":")) {
            places.add(Path.of(place).toAbsolutePath().toString());
        }
        return String.join(":", places);
    }
}
