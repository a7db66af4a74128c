package dev.bascule.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a command and a running host talk: a request and its answer, each a file in the host's run directory that appears
 * whole and that its reader removes.
 *
 * @param directory of the host
 * @param subject what it is about, a word
 */
public record Mailbox(Path directory, String subject) {
    /**
     * Request to a running host.
     *
     * @param pid process that asks
     * @param words a line each
     */
    public record Request(long pid, List<String> words) {
        /** Of this process. */
        public static Request of(List<String> words) {
            return new Request(ProcessHandle.current().pid(), words);
        }

        /** Whether who asked is there to read the answer: else a former host did not get to it, and nobody waits. */
        boolean isAwaited() {
            return ProcessHandle.of(pid).isPresent();
        }
    }

    /** Asks; a request of another process that nobody has taken is replaced. */
    public void ask(Request request) {
        put(subject + ".request",
                Stream.concat(Stream.of(Long.toString(request.pid)), request.words.stream()).toList());
    }

    /** Host: takes a request, if there is one. */
    Optional<Request> take() {
        return get(subject + ".request").filter(lines -> !lines.isEmpty()).map(
                lines -> new Request(Long.parseLong(lines.getFirst()), List.copyOf(lines.subList(1, lines.size()))));
    }

    /** Host: answers; a line each. */
    public void answer(Request request, List<String> lines) {
        List<String> whole = new ArrayList<>();
        lines.forEach(line -> whole.add(line.replace('\n', ' ')));
        put(answerFile(request), whole);
    }

    /** Takes the answer, if it is there. */
    public Optional<List<String>> answer(Request request) {
        return get(answerFile(request));
    }

    private String answerFile(Request request) {
        return subject + ".answer." + request.pid;
    }

    private void put(String name, List<String> lines) {
        Path file = directory.resolve(name);
        Path part = directory.resolve(name + "." + ProcessHandle.current().pid() + ".part");
        try {
            Files.write(part, lines);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("write " + file + ": " + e.getMessage()
                    + "; only the user whose host runs there may ask it for something", e);
        }
    }

    private Optional<List<String>> get(String name) {
        Path file = directory.resolve(name);
        try {
            List<String> lines = Files.readAllLines(file);
            Files.delete(file);
            return Optional.of(lines);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException("read " + file + ": " + e.getMessage(), e);
        }
    }
}
