package dev.bascule.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How {@code bascule upgrade} and a running host talk: a request and its answer, each a file in the host's run directory
 * that appears whole and that its reader removes.
 */
record UpgradeFiles(Path directory) {
    private static final String REQUEST = "upgrade.request";

    /**
     * What is asked for.
     *
     * @param pid process that asks
     * @param policy the words that name the new policy
     */
    record Request(long pid, List<String> policy) {}

    /**
     * What became of it.
     *
     * @param gapNanos time without an agent
     * @param failure why the old agent is still at work; null if it is not
     */
    record Answer(long gapNanos, @Nullable String failure) {}

    /** Asks; one that another process asked for and that nobody has taken is replaced. */
    void ask(Request request) {
        List<String> lines = new ArrayList<>(List.of(Long.toString(request.pid)));
        lines.addAll(request.policy);
        put(REQUEST, lines);
    }

    /** Host: takes a request, if there is one. */
    Optional<Request> take() {
        return get(REQUEST).filter(lines -> !lines.isEmpty())
                .map(lines -> new Request(Long.parseLong(lines.getFirst()),
                        List.copyOf(lines.subList(1, lines.size()))));
    }

    /** Host: answers. */
    void answer(Request request, Answer answer) {
        String failure = Objects.requireNonNullElse(answer.failure, "");
        put(answerFile(request), List.of(Long.toString(answer.gapNanos), failure.replace('\n', ' ')));
    }

    /** Takes the answer, if it is there. */
    Optional<Answer> answer(Request request) {
        return get(answerFile(request)).filter(lines -> lines.size() == 2).map(
                lines -> new Answer(Long.parseLong(lines.get(0)), lines.get(1).isEmpty() ? null : lines.get(1)));
    }

    private static String answerFile(Request request) {
        return "upgrade.answer." + request.pid;
    }

    private void put(String name, List<String> lines) {
        Path file = directory.resolve(name);
        Path part = directory.resolve(name + "." + ProcessHandle.current().pid() + ".part");
        try {
            Files.write(part, lines);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("write " + file + ": " + e.getMessage()
                    + "; only the user whose host runs there may upgrade its agent", e);
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
