package dev.bascule.run;

import dev.bascule.agent.AgentException;
import dev.bascule.doctor.Machine;
import dev.bascule.ffi.Libc;
import dev.bascule.host.CounterPage;
import dev.bascule.host.CounterReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the run directory of a host of this user that runs now. */
public final class RunDirectories {
    private final List<Path> places;

    /** Directories in these places. */
    public RunDirectories(List<Path> places) {
        this.places = places;
    }

    /** Directories of this machine. */
    public static RunDirectories real() {
        return new RunDirectories(List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir"))));
    }

    /** The counters of the newest directory whose host is alive. */
    public Optional<CounterReader> newest() {
        for (Path directory : candidates()) {
            try {
                CounterReader reader = CounterReader.open(directory);
                if (reader.isWriterAlive()) {
                    return Optional.of(reader);
                }
                reader.close();
            } catch (AgentException e) {
                continue; // another user's, or left half made by a host that was killed
            }
        }
        return Optional.empty();
    }

    private List<Path> candidates() {
        List<Path> found = new ArrayList<>();
        for (Path place : places) {
            for (String name : Machine.names(place)) {
                Path directory = place.resolve(name);
                if (name.startsWith("bascule-") && isOwn(directory)
                        && Files.isRegularFile(directory.resolve(CounterPage.FILE), LinkOption.NOFOLLOW_LINKS)) {
                    found.add(directory);
                }
            }
        }
        found.sort(Comparator.comparingLong(RunDirectories::made).reversed());
        return found;
    }

    /** In another's he puts what he likes, for root as well. */
    private static boolean isOwn(Path directory) {
        try {
            return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
                    && (int) Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS) == Libc
                            .effectiveUserId();
        } catch (IOException e) {
            return false; // gone meanwhile
        }
    }

    private static long made(Path directory) {
        try {
            return Files.getLastModifiedTime(directory).toMillis();
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return String.join(" or ", places.stream().map(place -> place + "/bascule-*").toList());
    }
}
