package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.ProbeModel;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever a server answers, the client says what is wrong in the words of a device's errors, ends in time, leaves memory
 * that was not mapped alone, and keeps no descriptor.
 */
@SuppressWarnings("NullAway.Init")
class BrokenServerTest {
    static final long IOVA = 0x10_0000;

    private static final int PAGE = 4096;
    private static final VfioUserOptions OPTIONS = VfioUserOptions.DEFAULT
            .withTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(300));

    @TempDir
    private Path folder;

    @Test
    void clientsOfFixedSeedsAreSafe() throws Exception {
        fuzz(1, 120, Long.MAX_VALUE);
    }

    /** A wrong reply to the closing of an interrupt, by a reset, left its eventfd open; an area of an odd length. */
    @ParameterizedTest
    @ValueSource(longs = { 463_970_229_025L, 143_146_766_677L })
    void clientsOfSeedsThatOnceFailedAreSafe(long seed) throws Exception {
        fuzz(seed, 1, Long.MAX_VALUE);
    }

    @Test
    @Tag("fuzz")
    void clientsOfNewSeedsAreSafe() throws Exception {
        long minutes = Long.getLong("bascule.fuzzMinutes", 1);
        fuzz(ThreadLocalRandom.current().nextLong(1L << 40), Integer.MAX_VALUE,
                System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes) / 2);
    }

    private void fuzz(long firstSeed, int servers, long deadline) throws Exception {
        int whole = 0;
        int done = 0;
        try (VfioUserServer right = VfioUserServer.serve(new ProbeModel(), folder.resolve("right"), event -> {})) {
            assertThat(use(right.path(), 0)).as("nothing is spoiled").isTrue();
            assertThat(right.awaitIdle(20_000)).isTrue();
            long descriptors = openDescriptors();
            for (long seed = firstSeed; done < servers && System.nanoTime() - deadline < 0; seed++, done++) {
                try (BrokenServer broken = new BrokenServer(seed, right.path(), folder.resolve("broken"))) {
                    whole += use(broken.path(), seed) ? 1 : 0;
                }
                assertThat(right.awaitIdle(20_000)).as("seed %d", seed).isTrue();
                awaitDescriptors(descriptors, seed);
            }
        }
        System.out.println("seeds from " + firstSeed + ": " + done + " servers, " + whole + " used to the end");
        assertThat(done).isPositive();
    }

    /** Whether nothing was refused on the way. */
    private static boolean use(Path path, long seed) {
        try (Arena arena = Arena.ofShared(); SharedMemory shared = SharedMemory.create("broken", PAGE)) {
            MemorySegment guarded = arena.allocate(3L * PAGE, PAGE);
            guarded.fill((byte) 0x11);
            VfioUserDevice device = VfioUserDevice.open(path, OPTIONS);
            boolean[] good = { true };
            try (device) {
                attempt(good, () -> device.addressSpace().mapAt(new Iova(IOVA),
                        new MappableMemory(guarded.asSlice(PAGE, PAGE), MappableMemory.NO_FILE, 0), DmaDirection.BOTH));
                attempt(good, () -> device.addressSpace().map(
                        new MappableMemory(shared.segment(), shared.fileDescriptor(), 0), DmaDirection.BOTH));
                attempt(good, () -> device.setBusMaster(true));
                for (Bar bar : device.bars()) {
                    for (int i = 0; i < 4; i++) {
                        attempt(good, () -> device.registers(bar.index()).write32(0, 5));
                        attempt(good, () -> device.registers(bar.index()).read64(0));
                    }
                    for (Bar.Area area : bar.mappable()) {
                        attempt(good,
                                () -> device.memory(bar.index(), area.offset(), 8).set(ValueLayout.JAVA_LONG_UNALIGNED,
                                        0, 1));
                        attempt(good, () -> device.memory(bar.index(), area.offset() + area.lengthBytes() - 8, 8)
                                .get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
                    }
                }
                attempt(good, () -> device.openInterrupt(InterruptKind.MSIX, 0, null));
                attempt(good, () -> device.addressSpace().unmap(new Iova(IOVA)));
                attempt(good, device::reset);
            }
            for (long at : new long[] { 0, 2L * PAGE }) {
                for (byte b : guarded.asSlice(at, PAGE).toArray(ValueLayout.JAVA_BYTE)) {
                    assertThat(b).as("memory beside the mapping, seed %d", seed).isEqualTo((byte) 0x11);
                }
            }
            return good[0];
        } catch (DeviceException e) {
            return false;
        } catch (RuntimeException | Error e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private static void attempt(boolean[] good, Runnable step) {
        try {
            step.run();
        } catch (DeviceException e) {
            good[0] = false;
        }
    }

    /** A thread that is using a socket while it is closed gives it back a little later. */
    private static void awaitDescriptors(long most, long seed) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (openDescriptors() > most) {
            assertThat(System.nanoTime() - deadline).as("%d open descriptors after seed %d", openDescriptors(), seed)
                    .isNegative();
            Thread.sleep(1);
        }
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(BrokenServerTest::isOurs).count();
        }
    }

    private static boolean isOurs(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("socket:") || target.contains("memfd") || target.contains("eventfd");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
