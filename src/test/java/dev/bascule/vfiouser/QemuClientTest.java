package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.model.Cables;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An unmodified QEMU as the client. */
@Tag("lab")
@SuppressWarnings("NullAway.Init")
class QemuClientTest {
    private static final long BAR0 = 0xe000_0000L;
    private static final long BAR2 = 0xe100_0000L;
    private static final long BAR4 = 0xe200_0000L;
    private static final int MEMORY_AND_MASTER = 6;

    @TempDir
    private Path folder;

    @BeforeEach
    void haveQemu() throws Exception {
        String missing = QtestMachine.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
    }

    @Test
    void qemuFindsTheDeviceAndItsBars() throws Exception {
        try (VfioUserServer server = serve(new ProbeModel());
                QtestMachine machine = QtestMachine.start(server.path())) {
            assertThat(machine.config(0)).isEqualTo(0x0e00_1234);
            assertThat(machine.sizeAndPlace(0, BAR0)).isEqualTo(4096);
            assertThat(machine.sizeAndPlace(2, BAR2)).isEqualTo(ProbeModel.MEMORY_BYTES);
            assertThat(machine.config(0x18) & 0xf).as("64 bit, prefetchable").isEqualTo(0xc);
            assertThat(machine.sizeAndPlace(4, BAR4)).isEqualTo(ProbeModel.MEMORY_BYTES);
            assertThat(machine.config(0x14)).as("no BAR 1").isZero();
        }
    }

    @Test
    void everyWidthReachesTheModelAndMemoryIsShared() throws Exception {
        ProbeModel model = new ProbeModel();
        try (VfioUserServer server = serve(model); QtestMachine machine = QtestMachine.start(server.path())) {
            place(machine);
            machine.store(BAR0, 4, 0x11223344);
            machine.store(BAR0 + 2, 2, 0xabcd);
            machine.store(BAR0 + 1, 1, 0x77);
            machine.store(BAR0 + 8, 8, 0x0102030405060708L);
            assertThat(machine.load(BAR0, 4)).isEqualTo(0xabcd7744L);
            assertThat(machine.load(BAR0 + 2, 2)).isEqualTo(0xabcd);
            assertThat(model.log()).startsWith("0/4=11223344", "2/2=abcd", "1/1=77");
            assertThat(machine.load(BAR0 + 8, 4)).isEqualTo(0x05060708);
            machine.store(BAR2 + 64, 4, 0x42);
            assertThat(model.memory().get(ValueLayout.JAVA_INT, 64)).isEqualTo(0x42);
            machine.store(BAR4 + ProbeModel.AREA_OFFSET, 4, 0x43);
            assertThat(machine.load(BAR4 + ProbeModel.AREA_OFFSET, 4)).isEqualTo(0x43);
            machine.store(BAR4, 4, 0x44);
            assertThat(model.log()).as("outside of the mappable area").contains("4:0/4=44");
        }
    }

    @Test
    void theDeviceReachesTheGuestsMemory() throws Exception {
        try (VfioUserServer server = serve(new ProbeModel());
                QtestMachine machine = QtestMachine.start(server.path())) {
            place(machine);
            byte[] bytes = new byte[5000];
            new Random(1).nextBytes(bytes);
            machine.fill(0x100010, bytes);
            copy(machine, 0x100010, 0x200003, bytes.length);
            assertThat(machine.load(BAR0 + ProbeModel.COPIES, 4)).as("copied").isEqualTo(1);
            assertThat(machine.bytes(0x200003, bytes.length)).isEqualTo(bytes);
            copy(machine, 1L << 40, 0x200000, 64);
            assertThat(machine.load(BAR0 + ProbeModel.COPIES, 4)).as("still one that was copied").isEqualTo(1);
            assertThat(server.faultCount()).isEqualTo(1);
        }
    }

    @Test
    void messageInterruptsReachTheGuest() throws Exception {
        try (VfioUserServer server = serve(new ProbeModel());
                QtestMachine machine = QtestMachine.start(server.path())) {
            place(machine);
            int msix = capability(machine, 0x11);
            for (int vector = 0; vector < ProbeModel.VECTORS; vector++) {
                long entry = BAR0 + ProbeModel.TABLE + 16L * vector;
                machine.store(entry, 4, 0x300000 + 4L * vector); // a message is a write: here to ordinary memory
                machine.store(entry + 4, 4, 0);
                machine.store(entry + 8, 4, 0x5a00 + vector);
                machine.store(entry + 12, 4, vector == 3 ? 1 : 0);
            }
            machine.config(msix, machine.config(msix) | 0x8000_0000L);
            raiseAndAwait(machine, 2);
            raiseAndAwait(machine, 0);
            assertThat(machine.load(0x300004, 4)).as("vector 1 was not raised").isZero();
            machine.store(BAR0 + ProbeModel.RAISE, 4, 3);
            raiseAndAwait(machine, 1);
            assertThat(machine.load(0x30000c, 4)).as("vector 3 is masked").isZero();
            machine.store(BAR0 + ProbeModel.TABLE + 16 * 3 + 12, 4, 0);
            await(machine, 3);
        }
    }

    @Test
    void aKilledQemuLeavesADeviceForTheNextOne() throws Exception {
        ProbeModel model = new ProbeModel();
        try (VfioUserServer server = serve(model)) {
            for (int i = 0; i < 2; i++) {
                try (QtestMachine machine = QtestMachine.start(server.path())) {
                    place(machine);
                    assertThat(machine.load(BAR0, 4)).as("reset").isZero();
                    machine.store(BAR0, 4, 77);
                    machine.kill();
                }
                assertThat(server.awaitIdle(20_000)).isTrue();
                assertThat(server.mappings()).isZero();
            }
        }
    }

    @Test
    void aCorundumShowsItsBlocksAndTakesSixteenBitWrites() throws Exception {
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(), Cables.cross(), true);
        try (VfioUserServer server = VfioUserServer.serve(model, folder.resolve("c"), event -> {});
                QtestMachine machine = QtestMachine.start(server.path())) {
            assertThat(machine.config(0)).isEqualTo(0x1001_1234);
            assertThat(machine.sizeAndPlace(0, BAR0)).isEqualTo(1 << 24);
            machine.config(4, MEMORY_AND_MASTER);
            assertThat(machine.load(BAR0, 4)).as("firmware block").isEqualTo(0xffff_ffffL);
            long at = BAR0;
            List<Long> types = new java.util.ArrayList<>();
            for (long next = machine.load(at + 8, 4); next != 0; next = machine.load(BAR0 + next + 8, 4)) {
                types.add(machine.load(BAR0 + next, 4));
            }
            assertThat(types).contains(0xc000L, 0xc007L, 0xc080L, 0xc008L);
            long channel = BAR0 + 0x83010 + 0x24; // destination of channel 0 of the first scheduler
            assertThat(machine.load(BAR0 + 0x83010, 4)).as("scheduler block").isEqualTo(0xc040);
            machine.store(channel, 2, 0x0010);
            assertThat(machine.load(channel, 4)).as("destination and packet budget").isEqualTo(0x0001_0010);
        }
    }

    private VfioUserServer serve(ProbeModel model) {
        return VfioUserServer.serve(model, folder.resolve("s"), event -> {});
    }

    private static void place(QtestMachine machine) throws Exception {
        machine.sizeAndPlace(0, BAR0);
        machine.sizeAndPlace(2, BAR2);
        machine.config(0x1c, 0);
        machine.sizeAndPlace(4, BAR4);
        machine.config(4, MEMORY_AND_MASTER);
    }

    private static void copy(QtestMachine machine, long from, long to, long bytes) throws Exception {
        machine.store(BAR0 + ProbeModel.SOURCE, 8, from);
        machine.store(BAR0 + ProbeModel.TARGET, 8, to);
        machine.store(BAR0 + ProbeModel.LENGTH, 8, bytes);
        machine.store(BAR0 + ProbeModel.COPY, 4, 1);
    }

    private static void raiseAndAwait(QtestMachine machine, int vector) throws Exception {
        machine.store(BAR0 + ProbeModel.RAISE, 4, vector);
        await(machine, vector);
    }

    private static void await(QtestMachine machine, int vector) throws Exception {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (machine.load(0x300000 + 4L * vector, 4) != 0x5a00 + vector) {
            assertThat(System.nanoTime() - deadline).as("message of vector " + vector).isNegative();
        }
    }

    private static int capability(QtestMachine machine, int id) throws Exception {
        int at = (int) machine.config(0x34) & 0xff;
        while ((machine.config(at) & 0xff) != id) {
            at = (int) (machine.config(at) >> 8 & 0xff);
        }
        return at;
    }
}
