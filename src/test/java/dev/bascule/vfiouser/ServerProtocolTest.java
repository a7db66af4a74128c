package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.vfiouser.RawClient.Reply;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server's answers on the wire, written from the protocol. */
@SuppressWarnings("NullAway.Init")
class ServerProtocolTest {
    private static final int TRIGGER_EVENTFD = 0x24;

    @TempDir
    private Path folder;

    private final ProbeModel model = new ProbeModel();
    private final List<ServerEvent> events = new CopyOnWriteArrayList<>();
    private VfioUserServer server;
    private RawClient client;

    @BeforeEach
    void serve() {
        server = VfioUserServer.serve(model, folder.resolve("s"), events::add);
        client = RawClient.agreed(server.path());
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    @Test
    void theVersionIsThatOfTheClientOrOurs() {
        client.close();
        for (int[] asked : new int[][] { { 0, 0 }, { 1, 1 }, { 7, 1 } }) {
            try (RawClient other = new RawClient(server.path())) {
                Reply reply = other.version(0, asked[0], "{}");
                assertThat(reply.errno()).isZero();
                assertThat(reply.get32(0)).as("minor %d", asked[0]).isEqualTo(asked[1] << 16);
                String json = new String(reply.body(), 4, reply.body().length - 5, StandardCharsets.UTF_8);
                assertThat(json).contains("\"max_msg_fds\":16").contains("\"max_data_xfer_size\":1048576")
                        .contains("\"pgsizes\":4096").contains("\"max_dma_maps\":" + MapBudget.OFFERED)
                        .doesNotContain("write_multiple").doesNotContain("migration").doesNotContain("twin_socket");
                assertThat(reply.body()[reply.body().length - 1]).isZero();
            }
        }
    }

    @Test
    void versionMessagesThatMakeNoSenseEndTheConnection() {
        client.close();
        for (String json : List.of("{", "\"", "[]", "{}{}", "{\"capabilities\":\"23\"}",
                "{\"capabilities\":{\"max_msg_fds\":-1}}",
                "{\"capabilities\":{\"max_msg_fds\":\"foo\"}}", "{\"capabilities\":{\"max_data_xfer_size\":0}}",
                "{\"capabilities\":{\"migration\":\"23\"}}", "{\"capabilities\":{\"write_multiple\":1}}",
                "{\"a\":1,\"a\":2}", "nul", "01", "{\"a\":\"\\x\"}", "[".repeat(100))) {
            try (RawClient other = new RawClient(server.path())) {
                assertThat(other.version(0, 1, json).errno()).as(json).isEqualTo(22);
                assertThat(other.isClosedByServer()).as(json).isTrue();
            }
        }
        try (RawClient other = new RawClient(server.path())) {
            assertThat(other.version(1, 0, "{}").errno()).as("major version").isEqualTo(22);
        }
        try (RawClient other = new RawClient(server.path())) {
            assertThat(other.outcome(1, RawClient.body().putInt(0).put((byte) '{').put((byte) '}'))).as("no zero byte")
                    .isEqualTo("EINVAL");
        }
        try (RawClient other = new RawClient(server.path())) {
            assertThat(other.outcome(1, RawClient.body().putInt(0))).as("no version data").isEmpty();
        }
    }

    @Test
    void commandsBeforeTheVersionAndASecondVersionAreRefused() {
        assertThat(client.version(0, 0, "{}").errno()).isEqualTo(22);
        assertThat(client.isServed()).isTrue();
        client.close();
        try (RawClient other = new RawClient(server.path())) {
            assertThat(other.outcome(4, RawClient.body().putInt(16).putInt(0).putLong(0))).isEqualTo("EINVAL");
            assertThat(other.isClosedByServer()).isTrue();
        }
    }

    @Test
    void theDeviceIsDescribed() {
        Reply info = client.call(4, RawClient.body().putInt(16).putInt(0).putLong(0));
        assertThat(info.body()).hasSize(16);
        assertThat(List.of(info.get32(0), info.get32(4), info.get32(8), info.get32(12))).containsExactly(16, 3, 9, 5);
        assertThat(client.outcome(4, RawClient.body().putInt(15).putInt(0).putLong(0))).isEqualTo("EINVAL");
        assertThat(client.outcome(4, RawClient.body().putInt(16))).isEqualTo("EINVAL");
    }

    @Test
    void regionsAreDescribed() {
        Reply bar0 = regionInfo(0, 32);
        assertThat(List.of(bar0.get32(0), bar0.get32(4), bar0.get32(8), bar0.get32(12))).containsExactly(32, 3, 0, 0);
        assertThat(bar0.get64(16)).isEqualTo(4096);
        assertThat(bar0.descriptors()).isEmpty();
        Reply bar2 = regionInfo(2, 32);
        assertThat(bar2.get32(4)).as("mappable from end to end").isEqualTo(7);
        assertThat(bar2.descriptors()).hasSize(1);
        bar2.descriptors().forEach(Fd::close);
        assertThat(regionInfo(7, 32).get64(16)).isEqualTo(4096);
        for (int none : new int[] { 1, 3, 5, 6, 8 }) {
            assertThat(regionInfo(none, 32).get64(16)).as("region %d", none).isZero();
        }
        assertThat(client.outcome(5, region(9, 32))).isEqualTo("EINVAL");
        assertThat(client.outcome(5, region(-1, 32))).isEqualTo("EINVAL");
        assertThat(client.outcome(5, region(0, 31))).isEqualTo("EINVAL");
    }

    @Test
    void mappableAreasAreSparseAndNeedRoom() {
        Reply small = regionInfo(4, 32);
        assertThat(List.of(small.get32(0), small.get32(4), small.get32(12))).containsExactly(64, 15, 32);
        assertThat(small.descriptors()).as("they come with the whole reply").isEmpty();
        Reply whole = regionInfo(4, 64);
        assertThat(whole.body()).hasSize(64);
        assertThat(whole.get32(12)).as("offset of the capability").isEqualTo(32);
        assertThat(whole.get32(32)).as("sparse, version 1").isEqualTo(1 << 16 | 1);
        assertThat(List.of(whole.get32(36), whole.get32(40))).containsExactly(0, 1);
        assertThat(List.of(whole.get64(48), whole.get64(56))).containsExactly(4096L, 8192L);
        assertThat(whole.descriptors()).hasSize(1);
        try (Arena arena = Arena.ofConfined(); Fd file = whole.descriptors().getFirst()) {
            MemorySegment mapped = Libc.map(arena, 8192, Linux.PROT_READ | Linux.PROT_WRITE, Linux.MAP_SHARED, file,
                    whole.get64(24) + 4096, "area");
            mapped.set(ValueLayout.JAVA_INT, 0, 0x1234);
            assertThat(read(4, 4096, 4)).isEqualTo(0x1234);
        }
    }

    @Test
    void interruptsAreDescribed() {
        int[][] expected = { { 7, 1 }, { 3, 4 }, { 3, 4 }, { 1, 1 }, { 1, 1 } };
        for (int index = 0; index < 5; index++) {
            Reply reply = client.call(7, RawClient.body().putInt(16).putInt(0).putInt(index).putInt(0));
            assertThat(List.of(reply.get32(0), reply.get32(4), reply.get32(8), reply.get32(12)))
                    .containsExactly(16, expected[index][0], index, expected[index][1]);
        }
        assertThat(client.outcome(7, RawClient.body().putInt(16).putInt(0).putInt(5).putInt(0))).isEqualTo("EINVAL");
        assertThat(client.outcome(7, RawClient.body().putInt(8).putInt(0).putInt(0).putInt(0))).isEqualTo("EINVAL");
    }

    @Test
    void regionsAreReadAndWrittenInEveryWidth() {
        write(0, 0, 8, 0x1122334455667788L);
        assertThat(read(0, 0, 8)).isEqualTo(0x1122334455667788L);
        assertThat(read(0, 3, 1)).isEqualTo(0x55);
        write(0, 2, 2, 0xabcd);
        assertThat(read(0, 1, 2)).as("an unaligned one is made of bytes").isEqualTo(0xcd77);
        assertThat(model.log()).containsExactly("0/8=1122334455667788", "2/2=abcd");
        Reply whole = client.call(9, access(0, 7, 4096));
        assertThat(whole.body()).hasSize(16 + 4096);
        assertThat(whole.get32(16)).as("vendor and device").isEqualTo(0x0e001234);
        write(7, 4, 2, 6);
        assertThat(read(7, 4, 2)).isEqualTo(6);
    }

    @Test
    void accessesThatDoNotFitAreRefused() {
        for (ByteBuffer bad : List.of(access(4096, 0, 1), access(4095, 0, 2), access(-1, 0, 1), access(0, 1, 4),
                access(0, 9, 4), access(0, -1, 4), access(0, 0, 0), access(0, 0, -1), access(0, 0, 1 << 21),
                access(Long.MAX_VALUE, 0, 8), access(4096, 7, 1), access(0, 6, 4), access(0, 8, 4))) {
            assertThat(client.outcome(9, bad)).isEqualTo("EINVAL");
        }
        assertThat(client.outcome(9, access(0, 0, 4).put((byte) 0))).as("a read with data").isEqualTo("EINVAL");
        assertThat(client.outcome(10, access(0, 0, 4).put((byte) 0))).as("too little data").isEqualTo("EINVAL");
        assertThat(client.outcome(10, access(0, 0, 4).putLong(0))).as("too much data").isEqualTo("EINVAL");
        assertThat(client.outcome(10, access(0, 1, 4).putInt(0))).as("no such BAR").isEqualTo("EINVAL");
        assertThat(model.log()).isEmpty();
        assertThat(client.isServed()).isTrue();
    }

    @Test
    void writesWithoutReplyAreDoneInOrderAndNeverAnswered() {
        for (int i = 0; i < 50; i++) {
            client.send(RawClient.message(i, 10, 36, 0x10,
                    java.util.Arrays.copyOf(access(8, 0, 4).putInt(i).array(), 20)));
            client.send(RawClient.message(i, 10, 36, 0x10, // out of range: refused, and not answered either
                    java.util.Arrays.copyOf(access(1 << 20, 0, 4).putInt(i).array(), 20)));
        }
        assertThat(read(0, 8, 4)).isEqualTo(49);
        assertThat(model.log()).hasSize(50);
    }

    @Test
    void severalWritesComeInOneMessage() {
        ByteBuffer writes = RawClient.body().putLong(3);
        writes.putLong(0).putInt(0).putInt(4).putLong(0x11);
        writes.putLong(8).putInt(0).putInt(2).putLong(0x2222);
        writes.putLong(16).putInt(0).putInt(8).putLong(-1);
        Reply reply = client.call(15, writes);
        assertThat(reply.get64(0)).isEqualTo(3);
        assertThat(model.log()).containsExactly("0/4=11", "8/2=2222", "10/8=ffffffffffffffff");
        assertThat(client.outcome(15, RawClient.body().putLong(2).putLong(0).putInt(0).putInt(4).putLong(5)))
                .as("one of two is missing").isEqualTo("EINVAL");
        assertThat(client.outcome(15, RawClient.body().putLong(-1))).isEqualTo("EINVAL");
        ByteBuffer bad = RawClient.body().putLong(2);
        bad.putLong(0).putInt(0).putInt(4).putLong(0x99);
        bad.putLong(4096).putInt(0).putInt(4).putLong(0x99);
        assertThat(client.outcome(15, bad)).as("the second is out of range").isEqualTo("EINVAL");
        assertThat(model.log()).as("nothing of it was done").hasSize(3);
    }

    @Test
    void framesThatCannotBeAreRefused() {
        client.send(RawClient.message(5, 4, 15, 0, new byte[0]));
        assertThat(client.receive().errno()).as("size below the header").isEqualTo(22);
        client.send(RawClient.message(6, 4, 0, 0, new byte[0]));
        assertThat(client.receive().errno()).as("no size").isEqualTo(22);
        client.send(RawClient.message(7, 4, 16, 2, new byte[0]));
        assertThat(client.receive().errno()).as("type 2").isEqualTo(22);
        client.send(RawClient.message(8, 4, 16, 0x40, new byte[0]));
        assertThat(client.receive().errno()).as("unknown flag").isEqualTo(22);
        client.send(RawClient.message(9, 4, 16, 1, new byte[0]));
        assertThat(client.receive().errno()).as("a reply to nothing").isEqualTo(22);
        for (int command : new int[] { 0, 11, 12, 14, 19, 999, 65535 }) {
            assertThat(client.outcome(command, RawClient.body())).as("command %d", command).isEqualTo("EINVAL");
        }
        for (int command : new int[] { 16, 17, 18 }) {
            assertThat(client.outcome(command, RawClient.body())).as("command %d", command).isEqualTo("EOPNOTSUPP");
        }
        assertThat(client.isServed()).isTrue();
        client.send(RawClient.message(10, 4, Protocol.MAX_MESSAGE_BYTES + 1, 0, new byte[0]));
        assertThat(client.receive().errno()).as("too large").isEqualTo(22);
        assertThat(client.isClosedByServer()).as("nobody knows where the next message starts").isTrue();
    }

    @Test
    void aModelThatThrowsIsAnErrorOfThatAccessOnly() {
        assertThat(client.outcome(10, access(ProbeModel.BUG, 0, 4).putInt(1))).isEqualTo("EIO");
        assertThat(client.isServed()).isTrue();
        assertThat(events).anySatisfy(event -> assertThat(event.text()).contains("the model has a bug"));
    }

    @Test
    void resetTakesNoBody() {
        int before = model.resets();
        assertThat(client.outcome(13, RawClient.body())).isEmpty();
        assertThat(model.resets()).isEqualTo(before + 1);
        assertThat(client.outcome(13, RawClient.body().putInt(0))).isEqualTo("EINVAL");
    }

    @Test
    void noPartOfARegionTakesEventfds() {
        Reply reply = client.call(6, RawClient.body().putInt(16).putInt(0).putInt(0).putInt(0));
        assertThat(reply.get32(12)).isZero();
        assertThat(client.outcome(6, RawClient.body().putInt(16).putInt(0).putInt(12).putInt(0))).isEqualTo("EINVAL");
    }

    @Test
    void descriptorsWhereNoneBelongAreRefusedAndClosed() {
        try (EventFd event = EventFd.create()) {
            assertThat(client.outcome(4, RawClient.body().putInt(16).putInt(0).putLong(0), event.fd()))
                    .isEqualTo("EINVAL");
            assertThat(client.outcome(8, irq(1 | 0x20, 2, 0, 1), event.fd())).as("with DATA_NONE").isEqualTo("EINVAL");
            assertThat(client.outcome(8, irq(TRIGGER_EVENTFD, 2, 0, 2), event.fd())).as("one for two")
                    .isEqualTo("EINVAL");
            Fd[] many = new Fd[17];
            java.util.Arrays.fill(many, event.fd());
            assertThat(client.outcome(8, irq(TRIGGER_EVENTFD, 2, 0, 4), many)).as("more than agreed")
                    .isEqualTo("EINVAL");
            try (Fd file = Libc.memfd("no eventfd", 0)) {
                assertThat(client.outcome(8, irq(TRIGGER_EVENTFD, 2, 0, 1), file)).isEqualTo("EINVAL");
            }
            assertThat(client.isServed()).isTrue();
        }
    }

    private Reply regionInfo(int index, int room) {
        return client.call(5, region(index, room));
    }

    private static ByteBuffer region(int index, int room) {
        return RawClient.body().putInt(room).putInt(0).putInt(index).putInt(0).putLong(0).putLong(0);
    }

    private static ByteBuffer irq(int flags, int index, int start, int count) {
        return RawClient.body().putInt(20).putInt(flags).putInt(index).putInt(start).putInt(count);
    }

    private static ByteBuffer access(long offset, int region, int count) {
        return RawClient.body().putLong(offset).putInt(region).putInt(count);
    }

    private long read(int region, long offset, int width) {
        Reply reply = client.call(9, access(offset, region, width));
        assertThat(reply.errno()).isZero();
        return ByteBuffer.wrap(java.util.Arrays.copyOf(java.util.Arrays.copyOfRange(reply.body(), 16, 16 + width), 8))
                .order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private void write(int region, long offset, int width, long value) {
        byte[] bytes = ByteBuffer.allocate(8).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(value).array();
        Reply reply = client.call(10, access(offset, region, width).put(bytes, 0, width));
        assertThat(reply.errno()).isZero();
        assertThat(reply.body()).hasSize(16);
        assertThat(reply.get32(12)).isEqualTo(width);
    }
}
