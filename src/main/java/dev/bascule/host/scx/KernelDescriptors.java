package dev.bascule.host.scx;

import dev.bascule.agent.AgentException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;

/**
 * How an agent of another process comes to what the host has open: a file of numbers in the run directory.
 *
 * @param pid the host's process
 * @param places where the shared memory is
 * @param arena the host's descriptor of the shared memory
 * @param page of the words that agents read only
 * @param bell of what the kernel rings
 * @param ring of the program that rings a CPU
 */
record KernelDescriptors(long pid, KernelPlaces places, int arena, int page, int bell, int ring) {
    static final String FILE = "kernel";
    private static final int NUMBERS = 7;

    void write(Path directory) {
        String numbers = pid + " " + places.address() + " " + places.regionBytes() + " " + arena + " " + page + " "
                + bell + " " + ring + "\n";
        try {
            Path whole = Files.writeString(directory.resolve(FILE + ".new"), numbers);
            Files.move(whole, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("write " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    static KernelDescriptors read(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            long[] numbers = Arrays.stream(Files.readString(file).strip().split(" ")).mapToLong(Long::parseLong)
                    .toArray();
            if (numbers.length != NUMBERS) {
                throw new AgentException("attach to " + file + ": it has " + numbers.length + " numbers, not "
                        + NUMBERS + "; start the host again");
            }
            return new KernelDescriptors(numbers[0], new KernelPlaces(numbers[1], numbers[2]), (int) numbers[3],
                    (int) numbers[4], (int) numbers[5], (int) numbers[6]);
        } catch (IOException | NumberFormatException e) {
            throw new AgentException("attach to " + file + ": " + e.getMessage()
                    + "; start the host first: bascule kernel", e);
        }
    }

    static void remove(Path directory) {
        try {
            Files.deleteIfExists(directory.resolve(FILE));
        } catch (IOException e) {
            throw new UncheckedIOException("remove " + directory.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }
}
