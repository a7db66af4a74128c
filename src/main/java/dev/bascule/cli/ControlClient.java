package dev.bascule.cli;

import dev.bascule.ffi.Patience;
import dev.bascule.host.CounterReader;
import dev.bascule.run.Failure;
import dev.bascule.run.Mailbox;
import dev.bascule.run.RunDirectories;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A running host, as a command asks it for something and waits for the answer. */
final class ControlClient {
    private static final long LOOK_NANOS = 20_000_000;

    private ControlClient() {}

    /**
     * Asks and waits.
     *
     * @param region run directory of the host; null: that of the newest that runs
     * @throws Failure if there is no host, or it does not answer within the limit
     */
    static List<String> ask(@Nullable Path region, String subject, List<String> words, long limitNanos) {
        try (CounterReader host = open(region)) {
            Path directory = Objects.requireNonNull(host.file().toAbsolutePath().getParent());
            if (!host.isWriterAlive()) {
                throw new Failure("the host of " + directory + ", process " + host.pid()
                        + ", has ended; start it again: bascule run --region " + directory);
            }
            Mailbox mailbox = new Mailbox(directory, subject);
            Mailbox.Request request = Mailbox.Request.of(words);
            mailbox.ask(request);
            return await(mailbox, request, host, limitNanos);
        }
    }

    private static CounterReader open(@Nullable Path region) {
        if (region != null) {
            return CounterReader.open(region);
        }
        RunDirectories directories = RunDirectories.real();
        return directories.newest().orElseThrow(() -> new Failure("no running Bascule host was found (looked for "
                + directories + "); start one with: bascule run, or name its run directory: --region DIR"));
    }

    private static List<String> await(Mailbox mailbox, Mailbox.Request request, CounterReader host, long limitNanos) {
        Patience patience = new Patience(limitNanos);
        while (true) {
            Optional<List<String>> answer = mailbox.answer(request);
            if (answer.isPresent()) {
                return answer.get();
            }
            if (!host.isWriterAlive()) {
                throw new Failure("the host of " + mailbox.directory() + " has ended meanwhile");
            }
            if (patience.isOver()) {
                throw new Failure("no answer from the host of " + mailbox.directory() + ", process " + host.pid()
                        + ", within " + limitNanos / 1_000_000_000
                        + " s; is it stopped, or between two transports?");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
