package dev.bascule.host.scx;

import dev.bascule.ffi.BpfArena;
import dev.bascule.ffi.HeldProcess;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An agent's process that stores where it should not. Arguments: the host's run directory, then nothing for a word of the
 * host; or a seed and milliseconds, for words anywhere in the region that it shares with kernel and host.
 */
final class WildStore {
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

    /** The header alone is left: what no agent can attach to tells nothing of the rest. */
    private static void scribble(Path directory, SplittableRandom random, long millis) throws Exception {
        KernelDescriptors host = KernelDescriptors.read(directory);
        KernelPlaces places = host.places();
        long stores = 0;
        try (HeldProcess process = HeldProcess.open(host.pid())) {
            if (process == null) {
                throw new AssertionError("no host");
            }
            MemorySegment region = BpfArena.map(process.take(host.arena(), "shared memory"), places.address(),
                    places.sizeBytes());
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (stores < 10_000 || System.nanoTime() < end) {
                for (int i = 0; i < 64; i++, stores++) {
                    long word = random.nextLong(Layout.PAGE_BYTES / Long.BYTES, places.regionBytes() / Long.BYTES);
                    long value = random.nextBoolean() ? random.nextLong() : random.nextLong(2048);
                    region.set(ValueLayout.JAVA_LONG, word * Long.BYTES, value);
                }
                Thread.sleep(1);
            }
        }
        System.out.println("stored " + stores + " words");
    }
}
