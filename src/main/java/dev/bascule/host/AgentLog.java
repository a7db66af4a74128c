package dev.bascule.host;

import dev.bascule.agent.PolicyException;
import dev.bascule.memory.ScratchFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The agent's log in a run directory: what an agent's process prints, and the stacks of policies that threw or did not
 * come back.
 * <p>
 * Thread rule: any thread; writers append whole texts.
 */
public final class AgentLog {
    /** Name of the first agent's file in a run directory. */
    public static final String FILE = "agent.log";

    private static final int MOST_READ = 1 << 18;
    private static final String DUMP_BEGINS = "Full thread dump";
    private static final String DUMP_ENDS = "JNI global refs";
    private static final Pattern FRAME = Pattern
            .compile("\\s+at (?:.*/)?([\\w.$]+)\\.([\\w$<>]+)\\((?:.*/)?([^:)]*):?(\\d*)\\)");

    private final Path file;

    AgentLog(Path file) {
        this.file = file;
    }

    /** Name of an agent's file in a run directory. */
    public static String file(int agent) {
        return agent == 0 ? FILE : "agent-" + agent + ".log";
    }

    /** Where it is. */
    Path file() {
        return file;
    }

    /** Leaves the logs where they are when the folder goes, if they hold a stack: messages name them. */
    public static void keepIn(ScratchFolder folder) {
        stacks(folder.path()).keySet().forEach(log -> folder.keep(log.getFileName().toString()));
    }

    /** Ends of the logs in a run directory that hold a stack, at most 256 KiB of each. */
    public static Map<Path, String> stacks(Path directory) {
        Map<Path, String> stacks = new TreeMap<>();
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "agent*.log")) {
            for (Path log : logs) {
                String end = new AgentLog(log).tail(MOST_READ);
                if (end.contains("\tat ")) {
                    stacks.put(log, end);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // a message then names a log that is gone
        }
        return stacks;
    }

    /** Adds a throwable with its stack. */
    void add(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        add(text.toString());
    }

    /** Adds where a thread is. */
    void add(String title, StackTraceElement[] stack) {
        StringBuilder text = new StringBuilder(title).append('\n');
        for (StackTraceElement frame : stack) {
            text.append("\tat ").append(frame).append('\n');
        }
        add(text.toString());
    }

    private void add(String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("write agent's log " + file + ": " + e.getMessage(), e);
        }
    }

    /** The last bytes as text; empty if there are none. */
    String tail(int bytes) {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) { // which may be long
            channel.position(Math.max(0, channel.size() - bytes));
            return new String(Channels.newInputStream(channel).readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** How long it is now. */
    long length() {
        try {
            return Files.size(file);
        } catch (IOException e) {
            return 0;
        }
    }

    /** The stack of the thread that runs the agent, from a JVM's dump of all threads; null until the dump is whole. */
    StackTraceElement @Nullable [] dumpedSince(long length) {
        String text = tail((int) Math.min(MOST_READ, length() - length));
        int from = text.indexOf(DUMP_BEGINS);
        if (from < 0 || text.indexOf(DUMP_ENDS, from) < 0) {
            return null;
        }
        for (String thread : text.substring(from).split("\n\n")) {
            if (thread.contains("at dev.bascule.agent.AgentLoop.run(")) {
                return frames(thread);
            }
        }
        return new StackTraceElement[0];
    }

    private static StackTraceElement[] frames(String thread) {
        List<StackTraceElement> frames = new ArrayList<>();
        for (String line : thread.split("\n")) {
            Matcher frame = FRAME.matcher(line);
            if (frame.matches()) {
                String number = frame.group(4);
                frames.add(new StackTraceElement(frame.group(1), frame.group(2), frame.group(3),
                        number.isEmpty() ? -1 : Integer.parseInt(number)));
            }
        }
        return frames.toArray(StackTraceElement[]::new);
    }

    /** Place where an agent was that did not come back, by its stack. */
    AgentPlace whereabouts(StackTraceElement[] stack) {
        String place = PolicyException.place(stack);
        return new AgentPlace((place == null
                ? "the agent was in none of its policy's code; the machine may have had no time for it"
                : "the agent's policy was at " + place) + "; its stack is in " + file, place == null, place != null);
    }
}
