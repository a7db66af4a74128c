package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.ProbeModel;
import dev.bascule.device.Registers;
import dev.bascule.vfiouser.ServerEvent.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that come, go, vanish and come again. */
@SuppressWarnings("NullAway.Init")
class ServerClientsTest {
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    private Path folder;

    private final ProbeModel model = new ProbeModel();
    private final List<ServerEvent> events = new CopyOnWriteArrayList<>();
    private VfioUserServer server;

    @BeforeEach
    void serve() {
        server = VfioUserServer.serve(model, folder.resolve("s"), events::add);
    }

    @AfterEach
    void end() {
        server.close();
    }

    @Test
    void aSecondClientIsTurnedAwayAndTheFirstGoesOn() {
        try (VfioUserDevice first = VfioUserDevice.open(server.path())) {
            assertThatThrownBy(() -> VfioUserDevice.open(server.path())).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("EBUSY").hasMessageContaining("another client uses the device");
            first.registers(0).write32(0, 5);
            assertThat(first.registers(0).read32(0)).isEqualTo(5);
        }
        assertThat(events).extracting(ServerEvent::kind).contains(Kind.TURNED_AWAY);
    }

    @Test
    void connectionsThatSayNothingKeepNobodyOut() {
        List<RawClient> silent = new java.util.ArrayList<>();
        try {
            for (int i = 0; i < 64; i++) {
                RawClient client = new RawClient(server.path());
                silent.add(client);
                if ((i & 1) == 0) {
                    client.send(new byte[] { 1 }); // a byte, and no more
                }
                if (i % 16 == 15) {
                    try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
                        device.registers(0).write32(0, i);
                        assertThat(device.registers(0).read32(0)).isEqualTo(i);
                    }
                }
            }
            for (RawClient client : silent) {
                assertThat(client.isClosedByServer()).as("it had its second").isTrue();
            }
        } finally {
            silent.forEach(RawClient::close);
        }
        assertThat(events).anySatisfy(event -> assertThat(event.text()).contains("did not say who it is"));
    }

    @Test
    void clientsComeOneAfterTheOther() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
                assertThat(device.registers(0).read32(0)).as("reset by opening").isZero();
                assertThat(device.config().read16(4) & 4).as("bus master").isZero();
                device.setBusMaster(true);
                device.registers(0).write32(0, 5);
            }
        }
        assertThat(server.awaitIdle(10_000)).isTrue();
        assertThat(server.mappings()).isZero();
        assertThat(events.stream().filter(event -> event.kind() == Kind.DISCONNECTED)).hasSize(5);
    }

    @Test
    void aClientThatVanishesInMidMessageTakesNothingWithIt() throws InterruptedException {
        byte[] whole = RawClient.message(1, 10, 36, 0, new byte[20]);
        for (int cut = 1; cut < whole.length; cut += 5) {
            try (RawClient client = RawClient.agreed(server.path())) {
                client.send(java.util.Arrays.copyOf(whole, cut));
            }
            assertThat(server.awaitIdle(10_000)).isTrue();
        }
        assertThat(events).anySatisfy(event -> assertThat(event.text()).contains("in the middle of a message"));
        try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
            device.registers(0).write32(0, 5);
            assertThat(device.registers(0).read32(0)).isEqualTo(5);
        }
    }

    @Test
    void aServerThatGoesIsARemovedDevice() {
        VfioUserDevice device = VfioUserDevice.open(server.path());
        Registers registers = device.registers(0);
        Interrupt removal = device.openInterrupt(InterruptKind.REQUEST, 0, null);
        Interrupt vector = device.openInterrupt(InterruptKind.MSIX, 0, null);
        server.close();
        assertThat(removal.await(10 * SECOND)).isPositive();
        assertThat(registers.read32(0)).isEqualTo(-1);
        assertThat(registers.read16(0)).isEqualTo(0xffff);
        registers.write32(0, 1);
        assertThat(device.config().read32(0)).isEqualTo(-1);
        assertThatThrownBy(device::reset).isInstanceOf(DeviceRemovedException.class);
        assertThatThrownBy(() -> device.setBusMaster(true)).isInstanceOf(DeviceRemovedException.class);
        assertThatThrownBy(() -> device.openInterrupt(InterruptKind.MSIX, 1, null))
                .isInstanceOf(DeviceRemovedException.class);
        vector.close();
        device.close();
        assertThat(model.isClosed()).isTrue();
    }

    @Test
    void aPathInUseIsRefusedAndAStaleOneTakenOver() {
        assertThatThrownBy(() -> VfioUserServer.serve(new ProbeModel(), server.path(), event -> {}))
                .isInstanceOf(DeviceException.class).hasMessageContaining("EADDRINUSE")
                .hasMessageContaining("another process listens there");
        server.close();
        assertThat(Files.exists(server.path())).as("the socket is removed").isFalse();
        try (VfioUserServer next = VfioUserServer.serve(new ProbeModel(), server.path(), event -> {});
                VfioUserDevice device = VfioUserDevice.open(next.path())) {
            assertThat(device.registers(0).read32(0)).isZero();
        }
    }

    @Test
    void nobodyThereIsToldWithTheCommandThatHelps() {
        assertThatThrownBy(() -> VfioUserDevice.open(folder.resolve("none"))).isInstanceOf(DeviceException.class)
                .hasMessageContaining("ENOENT").hasMessageContaining("bascule serve");
    }

    @Test
    void longTransfersAreCutToWhatWasAgreed() {
        try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
            byte[] bytes = new byte[(int) ProbeModel.MEMORY_BYTES];
            new Random(3).nextBytes(bytes);
            device.writeBar(2, 0, MemorySegment.ofArray(bytes));
            assertThat(model.memory().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
            byte[] back = new byte[bytes.length - 3];
            device.readBar(2, 3, MemorySegment.ofArray(back));
            assertThat(back).isEqualTo(java.util.Arrays.copyOfRange(bytes, 3, bytes.length));
            assertThatThrownBy(() -> device.readBar(2, 1, MemorySegment.ofArray(bytes)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void severalWritesTravelTogether() {
        try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
            List<RegisterWrite> writes = new java.util.ArrayList<>();
            for (int i = 0; i < 700; i++) {
                writes.add(new RegisterWrite(8L * (i % 16), 4, i));
            }
            device.writeAll(0, writes);
            assertThat(device.registers(0).read32(8 * (699 % 16))).isEqualTo(699);
            assertThat(model.log()).hasSize(700);
        }
    }

    @Test
    void withoutSharedMemoryEverythingGoesByMessage() {
        try (VfioUserDevice device = VfioUserDevice.open(server.path(),
                VfioUserOptions.DEFAULT.withSharedMemory(false))) {
            assertThat(device.bar(2).mappable()).isEmpty();
            device.registers(2).write64(8, 42);
            assertThat(device.registers(2).read64(8)).isEqualTo(42);
            assertThatThrownBy(() -> device.memory(2, 0, 64)).isInstanceOf(DeviceException.class);
        }
    }
}
