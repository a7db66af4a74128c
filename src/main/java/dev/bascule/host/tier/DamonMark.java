package dev.bascule.host.tier;

import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.ProcessMark;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The claim of one {@code tier} to DAMON, whose files say nothing of an owner: a file of root's names the process and an
 * interval with a random part, which stands in DAMON's configuration as well. A configuration with the interval of a process
 * that has ended is taken over; any other is somebody else's and never touched. One thread; processes are kept apart by a lock
 * on the file.
 */
final class DamonMark {
    static final Path FILE = Path.of("/run/bascule-damon");
    /** How long DAMON keeps regions before it looks for new mappings: of no weight, so that it can tell whose it is. */
    static final String UPDATE_MICROS = "0/contexts/0/monitoring_attrs/intervals/update_us";
    private static final String COUNT = "nr_kdamonds";
    private static final String STATE = "0/state";
    private static final long LEAST_MICROS = 1_000_000;
    private static final long MOST_MICROS = 2_000_000;
    private static final int MOST_TRIES = 200;
    private static final long PAUSE_NANOS = 5_000_000;

    private final Path admin;
    private final Path file;
    private final long updateMicros;

    private DamonMark(Path admin, Path file, long updateMicros) {
        this.admin = admin;
        this.file = file;
        this.updateMicros = updateMicros;
    }

    /** The text of a mark. */
    private record Claim(ProcessMark owner, long updateMicros) {
        static @Nullable Claim parse(String text) {
            String line = text.strip();
            int last = line.lastIndexOf(' ');
            ProcessMark owner = ProcessMark.parse(line.substring(0, Math.max(0, last)));
            try {
                return owner == null ? null : new Claim(owner, Long.parseLong(line.substring(last + 1)));
            } catch (NumberFormatException e) {
                return null;
            }
        }
    }

    /**
     * Process that keeps others from DAMON, and the cure.
     *
     * @param found for people
     * @param cure a command
     */
    record User(String found, String cure) {}

    /** The user of DAMON; null when it is free, or when what is there was left by a {@code tier} that has ended. */
    static @Nullable User user(Path admin, Path file) {
        try {
            return user(admin, Files.exists(file) ? Claim.parse(KernelText.read(file)) : null);
        } catch (IOException e) {
            return new User("it cannot be asked: " + e.getMessage(), "sudo scripts/bascule tier ...");
        }
    }

    private static @Nullable User user(Path admin, @Nullable Claim claim) throws IOException {
        boolean isSetUp = !read(admin, COUNT).equals("0");
        if (claim == null || isSetUp && !isOf(claim.updateMicros, admin)) {
            return isSetUp ? somebodyElse(admin) : null;
        }
        return claim.owner.isGone()
                ? null
                : new User("bascule tier uses it, process " + claim.owner.pid(), "sudo kill " + claim.owner.pid());
    }

    private static User somebodyElse(Path admin) {
        return new User("somebody else has set it up",
                "for one in " + admin + "/*/state; do echo off | sudo tee $one; done; "
                        + "echo 0 | sudo tee " + admin.resolve(COUNT));
    }

    private static boolean isOf(long updateMicros, Path admin) throws IOException {
        return read(admin, COUNT).equals("1") && read(admin, UPDATE_MICROS).equals(Long.toString(updateMicros));
    }

    /** A file of DAMON's without the white space around it; waits for others who use these files. */
    static String read(Path admin, String name) throws IOException {
        return patiently(() -> KernelText.read(admin.resolve(name)).strip());
    }

    /** Writes a file of DAMON's, and waits as well. */
    static void write(Path file, String value) throws IOException {
        Path unused = patiently(() -> Files.writeString(file, value));
    }

    /** One access to DAMON's files. */
    private interface Access<T> {
        T run() throws IOException;
    }

    /** The kernel has one lock for all these files, and does not wait for it: another's access is EBUSY for this one. */
    private static <T> T patiently(Access<T> access) throws IOException {
        for (int tries = 1;; tries++) {
            try {
                return access.run();
            } catch (IOException e) {
                if (tries == MOST_TRIES || !String.valueOf(e.getMessage()).contains("busy")) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /**
     * Claims DAMON for this process, and clears away what one that has ended left.
     *
     * @throws IllegalArgumentException if somebody has it, with what ends that
     * @throws UncheckedIOException if the mark cannot be written
     */
    static DamonMark take(Path admin, Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            Claim before = Claim.parse(KernelText.read(file));
            User user = user(admin, before);
            if (user != null) {
                throw new IllegalArgumentException(
                        "--source damon: " + user.found + ". Fix: " + user.cure + ", or let it choose: auto");
            }
            if (before != null) {
                new DamonMark(admin, file, before.updateMicros).clear();
            }
            DamonMark mine = new DamonMark(admin, file,
                    ThreadLocalRandom.current().nextLong(LEAST_MICROS, MOST_MICROS));
            Files.writeString(file, ProcessMark.own().line() + " " + mine.updateMicros + "\n");
            return mine;
        } catch (IOException e) {
            throw new UncheckedIOException("mark DAMON as used by this process in " + file + ": " + e.getMessage()
                    + "; run as root, or name another source: --source " + Referenced.NAME, e);
        }
    }

    /** Clears away what a {@code tier} that has ended left of DAMON, if it did and this process may. */
    static void sweep(Path admin, Path file) {
        if (Files.isWritable(file) && Files.isWritable(admin.resolve(COUNT)) && user(admin, file) == null) {
            take(admin, file).close();
        }
    }

    /** Mark of the configuration, us. */
    long updateMicros() {
        return updateMicros;
    }

    /** Whether nobody has set DAMON up. */
    boolean isFree() throws IOException {
        return read(admin, COUNT).equals("0");
    }

    /** Turns DAMON off, if its configuration is still this one's. */
    void clear() {
        try {
            if (!isOf(updateMicros, admin)) {
                return;
            }
            turnOff();
            write(admin.resolve(COUNT), "0");
        } catch (IOException e) {
            return; // it is somebody else's by now, or the kernel's alone
        }
    }

    private void turnOff() {
        try {
            write(admin.resolve(STATE), "off");
        } catch (IOException e) {
            return; // it stopped by itself when the process ended
        }
    }

    /** Turns DAMON off and gives up the claim. */
    void close() {
        clear();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            return; // it names a process that will have ended
        }
    }
}
