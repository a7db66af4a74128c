package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Bar;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DevicePort;
import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.vfiouser.ServerEvent.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that cuts the memory it gave: its access fails, it is cut off, and the device serves the next one. */
@SuppressWarnings("NullAway.Init")
class CutMemoryTest {
    private static final long BYTES = 1 << 20;
    private static final int ROUNDS = 300;

    @TempDir
    private Path folder;

    private final List<ServerEvent> events = new CopyOnWriteArrayList<>();

    @Test
    void anAccessToMemoryThatIsBeingCutFailsAndNeverThrows() throws Exception {
        AtomicInteger cuts = new AtomicInteger();
        ClientMemory memory = new ClientMemory(() -> true, cuts::incrementAndGet);
        MemorySegment local = Arena.ofAuto().allocate(BYTES, 64);
        try (Fd file = Libc.memfd("cut", 0)) {
            file.truncate(BYTES);
            memory.map(0x10000, BYTES, 3, file, 0);
            int failed = 0;
            for (int round = 0; round < ROUNDS; round++) {
                file.truncate(BYTES);
                Thread cutter = Thread.ofPlatform().start(() -> file.truncate(0));
                boolean done = true;
                for (int i = 0; done; i++) {
                    long length = (i & 2) == 0 ? 40 : BYTES; // short ones are copied by other code than long ones
                    done = (i & 1) == 0
                            ? memory.read(0x10000, local, 0, length)
                            : memory.write(0x10000, local, 0, length);
                }
                failed++;
                cutter.join();
            }
            assertThat(failed).isEqualTo(ROUNDS);
            assertThat(cuts).as("told each time").hasValue(ROUNDS);
            assertThat(memory.recentFaults()).last()
                    .satisfies(fault -> assertThat(fault.toString()).contains("bus error"));
        } finally {
            memory.unmapAll();
        }
    }

    @Test
    void aClientThatCutsItsMemoryIsCutOffAndTheDeviceServesTheNext() throws Exception {
        ProbeModel model = new ProbeModel();
        try (VfioUserServer server = VfioUserServer.serve(model, folder.resolve("s"), events::add)) {
            for (int where = 1; where <= 2; where++) { // on the session's thread, on one of the device
                int resets = model.resets();
                events.clear();
                cutDuringCopies(server, where);
                assertThat(server.awaitIdle(20_000)).as("the client is let go").isTrue();
                assertThat(events).filteredOn(event -> event.kind() == Kind.DISCONNECTED)
                        .anySatisfy(event -> assertThat(event.text()).contains("cut memory"));
                assertThat(model.resets()).as("resets").isGreaterThan(resets);
                assertServed(server);
            }
        }
    }

    @Test
    void aThreadOfAModelThatFailsEndsTheClientAndNotTheDevice() throws Exception {
        FailingModel model = new FailingModel();
        try (VfioUserServer server = VfioUserServer.serve(model, folder.resolve("s"), events::add)) {
            try (RawClient client = RawClient.agreed(server.path())) {
                model.port().failed(new AssertionError("by a client"));
                assertThat(client.isClosedByServer()).isTrue();
            }
            assertThat(server.awaitIdle(20_000)).isTrue();
            assertThat(events).anySatisfy(event -> assertThat(event.text()).contains("the device met")
                    .contains("by a client"));
            try (RawClient client = RawClient.agreed(server.path())) {
                client.send(write(0, new byte[4])); // the model throws an Error on the session's thread
                assertThat(client.isClosedByServer()).isTrue();
            }
            assertThat(server.awaitIdle(20_000)).isTrue();
            try (RawClient client = RawClient.agreed(server.path())) {
                assertThat(client.isServed()).isTrue();
            }
        }
    }

    private static void cutDuringCopies(VfioUserServer server, int where) {
        try (Fd file = Libc.memfd("cut", 0); RawClient client = RawClient.agreed(server.path())) {
            file.truncate(BYTES);
            ByteBuffer map = RawClient.body().putInt(32).putInt(3).putLong(0).putLong(0x10000).putLong(BYTES);
            assertThat(client.outcome(2, map, file)).isEmpty();
            client.send(RawClient.message(1, 10, 34, 0x10,
                    java.util.Arrays.copyOf(RawClient.body().putLong(4).putInt(7).putInt(2).put((byte) 4).array(),
                            18)));
            for (long[] register : new long[][] { { ProbeModel.SOURCE, 0x10000 }, { ProbeModel.TARGET, 0x10000 },
                    { ProbeModel.LENGTH, BYTES } }) {
                assertThat(client.outcome(10, RawClient.body().putLong(register[0]).putInt(0).putInt(8)
                        .putLong(register[1]))).isEmpty();
            }
            file.truncate(0);
            client.send(write(ProbeModel.COPY, new byte[] { (byte) where, 0, 0, 0 }));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    private static byte[] write(long offset, byte[] value) {
        return RawClient.message(1, 10, 32 + value.length, 0x10, java.util.Arrays.copyOf(
                RawClient.body().putLong(offset).putInt(0).putInt(value.length).put(value).array(), 16 + value.length));
    }

    private static void assertServed(VfioUserServer server) {
        try (VfioUserDevice device = VfioUserDevice.open(server.path())) {
            device.registers(0).write32(0, 5);
            assertThat(device.registers(0).read32(0)).isEqualTo(5);
        }
    }

    /** Its registers are traps. */
    private static final class FailingModel implements DeviceModel {
        private DevicePort port;

        DevicePort port() {
            return port;
        }

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public List<Bar> bars() {
            return List.of(Bar.registers(0, 4096));
        }

        @Override
        public ConfigSpace powerOnConfig() {
            return new dev.bascule.pci.ConfigSpaceBuilder(0x1234, 0x0e01, 0xff0000, 0)
                    .memoryBar(0, 4096, false, false).build();
        }

        @Override
        public void connect(DevicePort devicePort) {
            port = devicePort;
        }

        @Override
        public long read(int bar, long offset, int widthBytes) {
            return 0;
        }

        @Override
        public void write(int bar, long offset, int widthBytes, long value) {
            throw new AssertionError("a trap");
        }

        @Override
        public void reset() {}
    }
}
