package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.EventFd;
import dev.bascule.junit.Cosim;
import dev.bascule.junit.CosimServer;
import dev.bascule.memory.SharedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** The attacks on Bascule's own server, on the one of {@code native/cosim}: it serves the next client and keeps nothing. */
@Tag("cosim")
class CosimFuzzTest {
    private static final String CARD = "target/cosim/nic";
    private static final long PATIENCE = 20_000_000_000L;
    private static final int CLIENTS = 300;
    private static final int ATTACKERS = 60;

    @Cosim(build = CARD)
    void clientsOfFixedSeedsDoNoHarm(CosimServer server) throws IOException {
        healthy(server, 0);
        long descriptors = descriptors(server);
        try (SharedMemory memory = SharedMemory.create("fuzz", 4 * 4096); EventFd event = EventFd.create()) {
            for (int seed = 1; seed <= CLIENTS; seed++) {
                new ServerFuzz(seed, memory, event).run(server.socket());
                if (seed % 20 == 0) {
                    healthy(server, seed);
                }
            }
        }
        healthy(server, CLIENTS);
        keepsNoMoreThan(server, descriptors);
    }

    @Cosim(build = CARD)
    void clientsThatMeanHarmDoNone(CosimServer server) throws IOException {
        healthy(server, 0);
        long descriptors = descriptors(server);
        for (int seed = 1; seed <= ATTACKERS; seed++) {
            new MessageAttack(seed).run(server.socket());
            if (seed % 10 == 0) {
                healthy(server, seed);
            }
        }
        healthy(server, ATTACKERS);
        keepsNoMoreThan(server, descriptors);
        assertThat(Files.readString(Path.of("/proc/" + server.process().pid() + "/maps"))).as("memory of clients")
                .doesNotContain("memfd:attack");
    }

    @Cosim(build = CARD)
    void aSecondClientIsTurnedAwayAndTheNextIsServed(CosimServer server) {
        try (RawClient first = RawClient.agreed(server.socket()); RawClient second = new RawClient(server.socket())) {
            assertThat(second.version(0, 0, "{}").errno()).as("EBUSY").isEqualTo(16);
            assertThat(first.isServed()).isTrue();
        }
        healthy(server, 0);
    }

    @Cosim(build = CARD)
    void theVersionIsThatOfTheClientAndQemuGetsItsOwn(CosimServer server) {
        for (int[] asked : new int[][] { { 0, 0 }, { 1, 1 }, { 7, 1 } }) {
            try (RawClient client = new RawClient(server.socket())) {
                assertThat(client.version(0, asked[0], "{}").get32(0)).isEqualTo(asked[1] << 16);
                RawClient.Reply config = client.call(9, RawClient.body().putLong(0).putInt(7).putInt(4096));
                assertThat(config.get32(16)).as("the whole of config space in one read").isEqualTo(0xb1c51234);
                RawClient.Reply unmapped = client.call(3,
                        RawClient.body().putInt(24).putInt(0).putLong(0).putLong(1 << 20));
                assertThat(unmapped.body()).as("a sweep, its body as it was sent").hasSize(24);
            }
        }
        try (RawClient client = new RawClient(server.socket())) {
            assertThat(client.version(1, 0, "{}").errno()).isEqualTo(22);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /** The next one gets the device, and finds it as after power-on. */
    private static void healthy(CosimServer server, long seed) {
        try (VfioUserDevice device = VfioUserDevice.open(server.socket())) {
            assertThat(device.registers(0).read32(0)).as("after seed %d", seed).isEqualTo(0x424e4943);
            assertThat(device.registers(0).read32(8)).as("disabled and idle after seed %d", seed).isEqualTo(2);
        }
    }

    /** The last client's end is noticed with the next look at its socket. */
    private static void keepsNoMoreThan(CosimServer server, long descriptors) throws IOException {
        long until = System.nanoTime() + PATIENCE;
        while (descriptors(server) > descriptors && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        assertThat(descriptors(server)).as("descriptors of the server").isLessThanOrEqualTo(descriptors);
    }

    private static long descriptors(CosimServer server) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/" + server.process().pid() + "/fd"))) {
            return open.count();
        }
    }
}
