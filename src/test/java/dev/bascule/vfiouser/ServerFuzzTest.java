package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.EventFd;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever clients send, the server serves the next one, and keeps neither mappings nor descriptors. */
@SuppressWarnings("NullAway.Init")
class ServerFuzzTest {
    @TempDir
    private Path folder;

    @Test
    void clientsOfFixedSeedsDoNoHarm() throws Exception {
        fuzz(1, 150, Long.MAX_VALUE);
    }

    @Test
    @Tag("fuzz")
    void clientsOfNewSeedsDoNoHarm() throws Exception {
        long minutes = Long.getLong("bascule.fuzzMinutes", 1);
        fuzz(ThreadLocalRandom.current().nextLong(1L << 40), Integer.MAX_VALUE,
                System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes) / 2);
    }

    private void fuzz(long firstSeed, int clients, long deadline) throws Exception {
        long seed = firstSeed;
        try (VfioUserServer server = VfioUserServer.serve(new ProbeModel(), folder.resolve("s"), event -> {});
                SharedMemory memory = SharedMemory.create("fuzz", 4 * 4096);
                EventFd event = EventFd.create()) {
            healthy(server, 0);
            assertThat(server.awaitIdle(20_000)).isTrue();
            long descriptors = openDescriptors();
            for (int i = 0; i < clients && System.nanoTime() - deadline < 0; i++, seed++) {
                new ServerFuzz(seed, memory, event).run(server.path());
                assertThat(server.awaitIdle(20_000)).as("seed %d: the client is let go", seed).isTrue();
                assertThat(server.mappings()).as("seed %d", seed).isZero();
                if (i % 10 == 0) {
                    healthy(server, seed);
                }
            }
            healthy(server, seed);
            assertThat(server.awaitIdle(20_000)).isTrue();
            long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (openDescriptors() > descriptors && System.nanoTime() - limit < 0) {
                LockSupport.parkNanos(1_000_000); // threads of other tests close theirs when they like
            }
            assertThat(openDescriptors()).as("open descriptors, seeds %d to %d", firstSeed, seed)
                    .isLessThanOrEqualTo(descriptors);
        }
    }

    private static void healthy(VfioUserServer server, long seed) {
        try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
            device.registers(0).write32(0, 0x1234);
            assertThat(device.registers(0).read32(0)).as("after seed %d", seed).isEqualTo(0x1234);
        }
    }

    /** Sockets, memory and eventfds; the virtual machine opens files of its own when it likes. */
    private static long openDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(ServerFuzzTest::isOurs).count();
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
