package dev.bascule.model.enso.backend;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The processes that map a program's queue file, according to {@code /proc}. A killed program leaves its files behind,
 * and nothing else says that it is gone. Where the processes cannot be seen (they are of this process itself, or of
 * another name space) they are taken to live.
 */
final class QueueOwners {
    private static final Path PROCESSES = Path.of("/proc");
    private static final int SEARCHES = 20;

    private final String fileName;
    private final String inode;
    private List<Long> owners = List.of();
    private int searches;

    QueueOwners(Path queueFile) throws IOException {
        fileName = String.valueOf(queueFile.getFileName());
        inode = " " + Files.getAttribute(queueFile, "unix:ino") + " ";
    }

    /** Whether all processes that mapped the file have unmapped it. */
    boolean areGone() {
        if (owners.isEmpty()) {
            if (searches < SEARCHES) { // it takes a while to read, and a file is made before it is mapped
                searches++;
                owners = search();
            }
            return false;
        }
        owners = owners.stream().filter(this::maps).toList();
        return owners.isEmpty();
    }

    private List<Long> search() {
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            for (Path process : processes) {
                long id = Long.parseLong(String.valueOf(process.getFileName()));
                if (id != ProcessHandle.current().pid() && maps(id)) {
                    found.add(id);
                }
            }
        } catch (IOException e) {
            return List.of();
        }
        return found;
    }

    private boolean maps(long process) {
        try {
            return KernelText.lines(PROCESSES.resolve(process + "/maps")).stream()
                    .anyMatch(line -> line.contains(inode) && KernelText.shown(line).contains(fileName));
        } catch (IOException e) { // it is gone, or not ours to look at
            return false;
        }
    }
}
