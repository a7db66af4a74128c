package dev.bascule.cli;

import dev.bascule.agent.AgentException;
import dev.bascule.host.CounterReader;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import dev.bascule.run.RunDirectories;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Live counters of a host that runs in another process. */
@Command(name = "top", mixinStandardHelpOptions = true, description = {
        "Shows the counters of a running host and their rates, from the counter page in its run directory.",
        "Without --attach: the newest host that runs. Ends when the host ends. The first rates are averages since the "
                + "host began to count." }, footer = { "", "Examples:", "  bascule top", "  bascule top --once --json",
                        "  bascule top --attach /dev/shm/bascule-1 --interval 500ms",
                        "  bascule top --web 8080      # open http://127.0.0.1:8080/" })
final class TopCommand extends CommandBase {
    private static final long SHORTEST_NANOS = 10_000_000;
    private static final long LOOK_MILLIS = 100;

    @Option(names = "--attach", paramLabel = "DIR", description = "run directory of the host")
    private @Nullable Path directory;

    @Option(names = "--once", description = "show the counters once and end")
    private boolean once;

    @Option(names = "--json", description = "print JSON: one document with --once, else one per line and interval")
    private boolean json;

    @Range("10ms..")
    @Option(names = "--interval", defaultValue = "1s", paramLabel = "TIME", description = "time between two looks; default ${DEFAULT-VALUE}")
    private String interval = "1s";

    @Option(names = "--web", paramLabel = "[HOST:]PORT", description = LiveWeb.OPTION
            + ". Until Ctrl-C, over hosts that come and go; the host runs undisturbed in its own process")
    private @Nullable String web;

    @Override
    public Integer call() throws InterruptedException {
        if (web != null) {
            if (once || json) {
                throw new Misuse("--web shows a page, --once and --json print: leave one out");
            }
            serve(web);
            return 0;
        }
        long pauseNanos = Durations.parseNanos(interval);
        Optional<CounterReader> reader = find();
        while (reader.isPresent()) {
            try (CounterReader open = reader.get()) {
                watch(open, pauseNanos);
                reader = once || directory != null ? Optional.empty() : follow(open);
            }
        }
        return 0;
    }

    /** Until Ctrl-C. */
    private void serve(String at) throws InterruptedException {
        try (LiveWeb page = LiveWeb.open(at, new Progress(System.err))) {
            Path given = directory;
            if (given != null) {
                CounterReader.open(given).close(); // says what is wrong with it
            }
            while (!Thread.interrupted()) {
                if (given == null) {
                    try (CounterReader newest = RunDirectories.real().newest().orElse(null)) {
                        follow(page, newest == null ? null : newest.file().getParent());
                    }
                } else {
                    follow(page, given);
                }
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    private static void follow(LiveWeb page, @Nullable Path host) {
        try {
            if (host != null) {
                page.hosts().follow(host);
            }
        } catch (AgentException e) {
            return; // not there yet, or gone between two looks
        }
    }

    /**
     * Reader of the directory in which the same process goes on, as between two transports; empty once the process
     * ends.
     */
    private static Optional<CounterReader> follow(CounterReader before) throws InterruptedException {
        Optional<CounterReader> found = Optional.empty();
        while (found.isEmpty() && before.isWriterAlive()) {
            Thread.sleep(LOOK_MILLIS);
            found = RunDirectories.real().newest();
        }
        return found;
    }

    private Optional<CounterReader> find() {
        Path given = directory;
        if (given != null) {
            return Optional.of(CounterReader.open(given));
        }
        RunDirectories directories = RunDirectories.real();
        Optional<CounterReader> found = directories.newest();
        if (found.isEmpty()) {
            throw new Failure("no running Bascule host was found (looked for " + directories
                    + "); start one with: bascule run, or name its run directory: bascule top --attach DIR");
        }
        return found;
    }

    /** Until the host ends or its file is gone. */
    private void watch(CounterReader reader, long pauseNanos) throws InterruptedException {
        TopSample sample = TopSample.take(reader);
        show(sample, sample.beginning());
        while (!once && reader.isWriterAlive() && Files.exists(reader.file())) {
            Thread.sleep(pauseNanos / 1_000_000, (int) (pauseNanos % 1_000_000));
            TopSample next = TopSample.take(reader);
            show(next, sample);
            sample = next;
        }
        if (!reader.isWriterAlive() && !json) {
            print("process " + reader.pid() + " has ended; these are its last numbers\n");
        }
    }

    private void show(TopSample sample, TopSample earlier) {
        if (json) {
            print(once ? sample.json(earlier).pretty() : sample.json(earlier) + "\n");
        } else {
            if (isScreen()) {
                System.out.print("\033[H\033[2J"); // past the command's writer, which shows escapes instead
            }
            print(sample.text(earlier) + (once ? "" : "\n"));
        }
    }

    private boolean isScreen() {
        return !once && System.console() != null && System.console().isTerminal();
    }

    private void print(String text) {
        PrintWriter out = out();
        out.print(text);
        out.flush();
    }
}
