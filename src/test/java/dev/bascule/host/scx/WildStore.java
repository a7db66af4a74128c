package dev.bascule.host.scx;

import dev.bascule.ffi.BpfArena;
import dev.bascule.ffi.HeldProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An agent's process that stores where it should not. Arguments: the host's run directory, then nothing for a word of the
 * host; or a seed and milliseconds, for words anywhere in the region of an agent.
 */
final class WildStore {
    private static final long HEADER = 0x4241_5343_554c_4531L; // "BASCULE1"

    private WildStore() {}

    public static void main(String[] words) throws Exception {
        Path directory = Path.of(words[0]);
        if (words.length > 1) {
            scribble(directory, new SplittableRandom(Long.parseLong(words[1])), Long.parseLong(words[2]));
            return;
        }
        KernelPage page = KernelPlace.ofAgent(directory).page();
        if (page.get(Layout.READY) != 1) {
            throw new AssertionError("it can be read");
        }
        System.out.println("reads");
        page.set(Layout.HOST_BEAT, 0);
        System.out.println("stored");
    }

    /** Stores into what an agent can write: its region on the NIC, or what it shares with the kernel. */
    private static void scribble(Path directory, SplittableRandom random, long millis) throws Exception {
        Path far = directory.resolve("nic.mem");
        if (Files.exists(far)) {
            try (FileChannel file = FileChannel.open(far, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                scribble(file.map(FileChannel.MapMode.READ_WRITE, 0, file.size(), Arena.global()), file.size(), random,
                        millis);
            }
            return;
        }
        KernelDescriptors host = KernelDescriptors.read(directory);
        KernelPlaces places = host.places();
        try (HeldProcess process = HeldProcess.open(host.pid())) {
            if (process == null) {
                throw new AssertionError("no host");
            }
            scribble(BpfArena.map(process.take(host.arena(), "shared memory"), places.address(), places.sizeBytes()),
                    places.regionBytes(), random, millis);
        }
    }

    /** Headers alone are left: what no agent can attach to tells nothing of the rest. */
    private static void scribble(MemorySegment region, long bytes, SplittableRandom random, long millis)
            throws InterruptedException {
        Set<Long> headers = new HashSet<>();
        for (long page = 0; page < bytes / Layout.PAGE_BYTES; page++) {
            if (region.get(ValueLayout.JAVA_LONG, page * Layout.PAGE_BYTES) == HEADER) {
                headers.add(page);
            }
        }
        long stores = 0;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (stores < 10_000 || System.nanoTime() < end) {
            for (int i = 0; i < 64; i++, stores++) {
                long word = random.nextLong(Layout.PAGE_BYTES / Long.BYTES, bytes / Long.BYTES);
                long value = random.nextBoolean() ? random.nextLong() : random.nextLong(2048);
                if (!headers.contains(word * Long.BYTES / Layout.PAGE_BYTES)) {
                    region.set(ValueLayout.JAVA_LONG, word * Long.BYTES, value);
                }
            }
            Thread.sleep(1);
        }
        System.out.println("stored " + stores + " words");
    }
}
