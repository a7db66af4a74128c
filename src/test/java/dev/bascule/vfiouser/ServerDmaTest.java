package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.memory.SharedMemory;
import dev.bascule.vfiouser.RawClient.Reply;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mappings, DMA by message and interrupts of a server, on the wire. */
@SuppressWarnings("NullAway.Init")
class ServerDmaTest {
    private static final int PAGE = 4096;
    private static final int MAP = 2;
    private static final int UNMAP = 3;
    private static final int SET_IRQS = 8;
    private static final int TRIGGER_EVENTFD = 0x24;

    @TempDir
    private Path folder;

    private final ProbeModel model = new ProbeModel();
    private VfioUserServer server;
    private RawClient client;

    @BeforeEach
    void serve() {
        server = VfioUserServer.serve(model, folder.resolve("s"), event -> {});
        client = RawClient.agreed(server.path());
        write(7, 4, 4); // bus master
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    @Test
    void sharedMemoryIsReachedDirectlyAndAcrossMappings() {
        try (SharedMemory memory = SharedMemory.create("dma", 4L * PAGE)) {
            memory.segment().fill((byte) 5);
            assertThat(client.outcome(MAP, map(3, 0, 0x2000, PAGE), fd(memory))).isEmpty();
            assertThat(client.outcome(MAP, map(3, 2L * PAGE, 0x3000, PAGE), fd(memory))).isEmpty();
            assertThat(server.mappings()).isEqualTo(2);
            memory.segment().asSlice(2L * PAGE, 8).fill((byte) 6);
            assertThat(copy(0x2ff8, 0x3100, 16)).isTrue();
            assertThat(memory.segment().get(ValueLayout.JAVA_LONG, 2L * PAGE + 0x100)).isEqualTo(0x0505050505050505L);
            assertThat(memory.segment().get(ValueLayout.JAVA_LONG, 2L * PAGE + 0x108)).isEqualTo(0x0606060606060606L);
            assertThat(client.outcome(UNMAP, unmap(0, 0x3000, PAGE))).isEmpty();
            assertThat(copy(0x2ff8, 0x2000, 16)).as("across the edge of what is mapped").isFalse();
            assertThat(server.faultCount()).isEqualTo(1);
            assertThat(server.recentFaults().getFirst().reason()).contains("not mapped from iova 0x3000");
        }
    }

    @Test
    void mappingsThatCannotBeAreRefused() {
        assertThat(client.outcome(MAP, map(3, 0, 0x10000, 2 * PAGE))).isEmpty();
        assertThat(client.outcome(MAP, map(3, 0, 0x11000, PAGE))).isEqualTo("EEXIST");
        assertThat(client.outcome(MAP, map(3, 0, 0xf000, 4 * PAGE))).isEqualTo("EEXIST");
        for (ByteBuffer bad : Arrays.asList(map(0, 0, 0x20000, PAGE), map(4, 0, 0x20000, PAGE),
                map(3, 0, 0x20000, 0), map(3, 0, 0x20001, PAGE), map(3, 0, 0x20000, PAGE + 1),
                map(3, 0, -4096, 2 * PAGE), map(3, 0, 0x20000, PAGE).putInt(0),
                RawClient.body().putInt(31).putInt(3).putLong(0).putLong(0x20000).putLong(PAGE))) {
            assertThat(client.outcome(MAP, bad)).isEqualTo("EINVAL");
        }
        try (SharedMemory memory = SharedMemory.create("dma", 2L * PAGE); EventFd event = EventFd.create()) {
            assertThat(client.outcome(MAP, map(3, PAGE, 0x20000, 2 * PAGE), fd(memory))).as("beyond the file")
                    .isEqualTo("EINVAL");
            assertThat(client.outcome(MAP, map(3, -PAGE, 0x20000, PAGE), fd(memory))).isEqualTo("EINVAL");
            assertThat(client.outcome(MAP, map(3, 0, 0x20000, PAGE), fd(memory), fd(memory))).isEqualTo("EINVAL");
            assertThat(client.outcome(MAP, map(3, 0, 0x20000, PAGE), event.fd())).as("cannot be mapped").isNotEmpty();
        }
        assertThat(server.mappings()).isEqualTo(1);
        assertThat(client.isServed()).isTrue();
    }

    @Test
    void readOnlyMappingsAreNotWritten() {
        try (SharedMemory memory = SharedMemory.create("dma", 2L * PAGE)) {
            assertThat(client.outcome(MAP, map(1, 0, 0x10000, PAGE), fd(memory))).isEmpty();
            assertThat(client.outcome(MAP, map(2, PAGE, 0x20000, PAGE), fd(memory))).isEmpty();
            assertThat(copy(0x10000, 0x20000, 64)).isTrue();
            assertThat(copy(0x10000, 0x10000, 64)).isFalse();
            assertThat(copy(0x20000, 0x20000, 64)).isFalse();
        }
    }

    @Test
    void memoryWithoutDescriptorIsAskedForWhileTheClientWaits() {
        assertThat(client.outcome(MAP, map(3, 0, 0x10000, 4 * PAGE))).isEmpty();
        set(ProbeModel.SOURCE, 0x10010, ProbeModel.TARGET, 0x12000, ProbeModel.LENGTH, 5);
        client.send(RawClient.message(77, 10, 36, 0,
                Arrays.copyOf(access(ProbeModel.COPY, 0, 4).putInt(1).array(), 20)));
        Reply read = client.receive();
        assertThat(read.command()).isEqualTo(11);
        assertThat(read.get64(0)).isEqualTo(0x10010);
        assertThat(read.get64(8)).isEqualTo(5);
        client.send(RawClient.message(78, 10, 36, 0, // meanwhile another command: it waits its turn
                Arrays.copyOf(access(0, 0, 4).putInt(0x42).array(), 20)));
        client.send(RawClient.message(read.id(), 11, 16 + 16 + 5, 1,
                Arrays.copyOf(RawClient.body().putLong(0x10010).putLong(5).put("hello".getBytes()).array(), 21)));
        Reply written = client.receive();
        assertThat(written.command()).isEqualTo(12);
        assertThat(written.get64(0)).isEqualTo(0x12000);
        assertThat(new String(written.body(), 16, 5)).isEqualTo("hello");
        client.send(RawClient.message(written.id(), 12, 32, 1,
                Arrays.copyOf(RawClient.body().putLong(0x12000).putLong(5).array(), 16)));
        assertThat(client.receive().id()).as("reply to the write that copied").isEqualTo(77);
        assertThat(client.receive().id()).as("reply to the one after it").isEqualTo(78);
        assertThat(read(ProbeModel.COPIES)).isEqualTo(1);
    }

    @Test
    void repliesThatDoNotFitFailTheAccess() {
        assertThat(client.outcome(MAP, map(3, 0, 0x10000, PAGE))).isEmpty();
        set(ProbeModel.SOURCE, 0x10000, ProbeModel.TARGET, 0x10100, ProbeModel.LENGTH, 8);
        byte[][] bodies = { new byte[0], new byte[16], new byte[23], new byte[25],
                Arrays.copyOf(RawClient.body().putLong(0x10008).putLong(8).array(), 24) };
        for (int i = 0; i < bodies.length; i++) {
            client.send(RawClient.message(77, 10, 36, 0,
                    Arrays.copyOf(access(ProbeModel.COPY, 0, 4).putInt(1).array(), 20)));
            Reply asked = client.receive();
            client.send(RawClient.message(asked.id(), 11, 16 + bodies[i].length, i == 0 ? 0x21 : 1, bodies[i]));
            assertThat(client.receive().id()).isEqualTo(77);
            assertThat(read(ProbeModel.COPIES)).as("failed").isEqualTo((i + 1L) << 32);
        }
        assertThat(client.isServed()).isTrue();
    }

    @Test
    void interruptsAreSetVectorByVectorAsQemuDoes() {
        try (EventFd two = EventFd.create(); EventFd three = EventFd.create()) {
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 0, 1))).as("none, to enable").isEmpty();
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 2, 1), two.fd())).isEmpty();
            raise(2);
            raise(3);
            assertThat(two.take()).isEqualTo(1);
            assertThat(read(ProbeModel.PENDING)).as("a vector without eventfd is pending").isEqualTo(8);
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 3, 1), three.fd())).isEmpty();
            assertThat(three.take()).as("delivered once it has one").isEqualTo(1);
            assertThat(client.outcome(13, RawClient.body())).as("reset").isEmpty();
            write(7, 4, 4);
            raise(2);
            assertThat(two.take()).as("eventfds survive a reset").isEqualTo(1);
            assertThat(client.outcome(SET_IRQS, irq(0x21, 2, 0, 0))).as("disable all").isEmpty();
            raise(2);
            assertThat(two.take()).isZero();
        }
    }

    @Test
    void theClientCanTriggerMaskAndUnmask() {
        try (EventFd zero = EventFd.create(); EventFd one = EventFd.create(); EventFd told = EventFd.create()) {
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 0, 2), zero.fd(), one.fd())).isEmpty();
            assertThat(client.outcome(SET_IRQS, irq(0x21, 2, 1, 1))).as("trigger").isEmpty();
            assertThat(one.take()).isEqualTo(1);
            assertThat(client.outcome(SET_IRQS, bools(0x22, 2, 0, 0, 1))).as("trigger the second of two").isEmpty();
            assertThat(zero.take()).isZero();
            assertThat(one.take()).isEqualTo(1);
            assertThat(client.outcome(SET_IRQS, irq(0x14, 2, 0, 1), told.fd())).as("tell of unmasking").isEmpty();
            assertThat(client.outcome(SET_IRQS, bools(0x0a, 2, 0, 1, 0))).as("mask the first").isEmpty();
            raise(0);
            assertThat(zero.take()).isZero();
            assertThat(told.take()).isZero();
            assertThat(client.outcome(SET_IRQS, irq(0x11, 2, 0, 1))).as("unmask").isEmpty();
            assertThat(zero.take()).isEqualTo(1);
            assertThat(told.take()).isEqualTo(1);
        }
    }

    @Test
    void functionMaskInConfigSpaceHoldsMessagesBack() {
        int msix = capability(0x11);
        try (EventFd zero = EventFd.create()) {
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 0, 1), zero.fd())).isEmpty();
            write(7, msix + 2, 0xc000);
            raise(0);
            assertThat(zero.take()).isZero();
            write(7, msix + 2, 0x8000);
            assertThat(zero.take()).isEqualTo(1);
        }
    }

    @Test
    void interruptRequestsThatMakeNoSenseAreRefused() {
        for (ByteBuffer bad : Arrays.asList(irq(0x21, 5, 0, 0), irq(0x21, -1, 0, 0), irq(0x20, 2, 0, 1),
                irq(0x01, 2, 0, 1), irq(0x18 | 1, 2, 0, 1), irq(0x23, 2, 0, 1), irq(0x61, 2, 0, 1),
                irq(0x21, 2, 3, 2), irq(0x21, 2, 4, 1), irq(0x21, 2, 1, -1), irq(0x21, 2, 1, 0), irq(0x09, 2, 0, 0),
                irq(0x22, 2, 0, 0), irq(0x09, 3, 0, 1), irq(0x11, 4, 0, 1), irq(0x21, 3, 0, 2), irq(0x22, 2, 0, 2),
                bools(0x22, 2, 0, 1).put((byte) 1), irq(0x21, 2, 0, 1).put((byte) 1),
                RawClient.body().putInt(3).putInt(0x21).putInt(2).putInt(0).putInt(0),
                RawClient.body().putInt(21).putInt(0x21).putInt(2).putInt(0).putInt(0),
                RawClient.body().putInt(20).putInt(0x21))) {
            assertThat(client.outcome(SET_IRQS, bad)).isEqualTo("EINVAL");
        }
        assertThat(client.outcome(SET_IRQS, irq(0x21, 3, 0, 0))).as("disable error interrupts").isEmpty();
        assertThat(client.isServed()).isTrue();
    }

    @Test
    void aFullEventfdDoesNotStopTheDevice() {
        try (EventFd full = EventFd.create()) {
            assertThat(client.outcome(SET_IRQS, irq(TRIGGER_EVENTFD, 2, 0, 1), full.fd())).isEmpty();
            try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
                full.fd().write(arena.allocateFrom(ValueLayout.JAVA_LONG, -2L));
            }
            raise(0);
            raise(0);
            assertThat(client.isServed()).isTrue();
            assertThat(full.take()).as("full, as the kernel counts: 2^64 - 2 or - 1").isIn(-2L, -1L);
        }
    }

    private int capability(int id) {
        int at = (int) readConfig(0x34, 1);
        while (readConfig(at, 1) != id) {
            at = (int) readConfig(at + 1, 1);
        }
        return at;
    }

    private long readConfig(int offset, int width) {
        return value(client.call(9, access(offset, 7, width)), width);
    }

    private long read(long offset) {
        return value(client.call(9, access(offset, 0, 8)), 8);
    }

    private static long value(Reply reply, int width) {
        assertThat(reply.errno()).isZero();
        byte[] bytes = Arrays.copyOf(Arrays.copyOfRange(reply.body(), 16, 16 + width), 8);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private void raise(int vector) {
        assertThat(client.outcome(10, access(ProbeModel.RAISE, 0, 4).putInt(vector))).isEmpty();
    }

    private void write(int region, int offset, int value) {
        assertThat(client.outcome(10, access(offset, region, 2).putShort((short) value))).isEmpty();
    }

    private void set(long... registersAndValues) {
        for (int i = 0; i < registersAndValues.length; i += 2) {
            assertThat(client.outcome(10, access(registersAndValues[i], 0, 8).putLong(registersAndValues[i + 1])))
                    .isEmpty();
        }
    }

    /** Lets the device copy and says whether it could. */
    private boolean copy(long from, long to, long bytes) {
        long before = read(ProbeModel.COPIES);
        set(ProbeModel.SOURCE, from, ProbeModel.TARGET, to, ProbeModel.LENGTH, bytes);
        assertThat(client.outcome(10, access(ProbeModel.COPY, 0, 4).putInt(1))).isEmpty();
        return read(ProbeModel.COPIES) == before + 1;
    }

    private static ByteBuffer map(int flags, long fileOffset, long iova, long bytes) {
        return RawClient.body().putInt(32).putInt(flags).putLong(fileOffset).putLong(iova).putLong(bytes);
    }

    private static ByteBuffer unmap(int flags, long iova, long bytes) {
        return RawClient.body().putInt(24).putInt(flags).putLong(iova).putLong(bytes);
    }

    private static ByteBuffer irq(int flags, int index, int start, int count) {
        return RawClient.body().putInt(20).putInt(flags).putInt(index).putInt(start).putInt(count);
    }

    private static ByteBuffer bools(int flags, int index, int start, int... chosen) {
        ByteBuffer body = RawClient.body().putInt(20 + chosen.length).putInt(flags).putInt(index).putInt(start)
                .putInt(chosen.length);
        for (int choice : chosen) {
            body.put((byte) choice);
        }
        return body;
    }

    private static ByteBuffer access(long offset, int region, int count) {
        return RawClient.body().putLong(offset).putInt(region).putInt(count);
    }

    private static Fd fd(SharedMemory memory) {
        return Fd.adopt(memory.fileDescriptor(), "memory");
    }
}
