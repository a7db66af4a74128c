package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.Fd;
import dev.bascule.memory.SharedMemory;
import dev.bascule.vfiouser.RawClient.Reply;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server makes of DMA_UNMAP, on the wire. */
@SuppressWarnings("NullAway.Init")
class ServerUnmapTest {
    private static final int PAGE = 4096;
    private static final int MAP = 2;
    private static final int UNMAP = 3;

    @TempDir
    private Path folder;

    private VfioUserServer server;
    private RawClient client;

    @BeforeEach
    void serve() {
        server = VfioUserServer.serve(new ProbeModel(), folder.resolve("s"), event -> {});
        client = RawClient.agreed(server.path());
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
    }

    @Test
    void unmappingEchoesItsBodyAndTakesWholeMappings() {
        for (int i = 0; i < 4; i++) {
            assertThat(client.outcome(MAP, map(3, 0, 0x10000 + i * PAGE, PAGE))).isEmpty();
        }
        Reply reply = client.call(UNMAP, unmap(0, 0x10000, PAGE));
        assertThat(reply.body()).hasSize(24);
        assertThat(reply.get64(8)).isEqualTo(0x10000);
        assertThat(reply.get64(16)).isEqualTo(PAGE);
        assertThat(client.outcome(UNMAP, unmap(0, 0x10000, PAGE))).as("again").isEqualTo("ENOENT");
        assertThat(client.outcome(UNMAP, unmap(0, 0x11000, 2 * PAGE))).as("two at once").isEmpty();
        assertThat(server.mappings()).isEqualTo(1);
        assertThat(client.outcome(UNMAP, unmap(2, 0, 0))).as("all").isEmpty();
        assertThat(server.mappings()).isZero();
        assertThat(client.outcome(MAP, map(3, 0, 0x10000, 4 * PAGE))).isEmpty();
        assertThat(client.outcome(UNMAP, unmap(0, 0x11000, PAGE))).as("a part").isEqualTo("EINVAL");
        for (ByteBuffer bad : Arrays.asList(unmap(4, 0x10000, PAGE), unmap(1, 0x10000, PAGE), unmap(2, 0x10000, PAGE),
                unmap(0, 0x10000, 0), unmap(0, -4096, 2 * PAGE), unmap(0, 0x10000, PAGE).putInt(0),
                RawClient.body().putInt(8).putInt(0).putLong(0x10000).putLong(PAGE))) {
            assertThat(client.outcome(UNMAP, bad)).isEqualTo("EINVAL");
        }
        assertThat(client.outcome(UNMAP, unmap(0, 0x40000, 0xff000))).as("less than a sweep").isEqualTo("ENOENT");
        assertThat(server.mappings()).isEqualTo(1);
    }

    /** As QEMU with intel-iommu does when the guest gives the device another domain. */
    @Test
    void aSweepOverTheAddressSpaceTakesWhatIsThereAndMindsNoGaps() {
        long[] pieces = { 0, 0xfee0_0000L, 0xfef0_0000L, 0x10_0000, 0xff00_0000L, 0x100_0000, 1L << 32, 1L << 32,
                1L << 47, 1L << 47, Long.MIN_VALUE, Long.MIN_VALUE, 0xfef0_0000L, -0xfef0_0000L };
        try (SharedMemory memory = SharedMemory.create("dma", 4L * PAGE)) {
            for (long iova : new long[] { 0x1000, 0x3000, 0x8000_0000L, 0xfedf_f000L, 0xff00_0000L, 1L << 32 }) {
                assertThat(client.outcome(MAP, map(3, 0, iova, PAGE), fd(memory))).isEmpty();
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < pieces.length; i += 2) {
                    Reply reply = client.call(UNMAP, unmap(0, pieces[i], pieces[i + 1]));
                    assertThat(reply.errno()).as("from 0x%x, round %d", pieces[i], round).isZero();
                    assertThat(reply.get64(16)).isEqualTo(pieces[i + 1]);
                }
                assertThat(server.mappings()).isZero();
            }
        }
    }

    @Test
    void anUnmappingThatCutsAMappingTakesNothing() {
        for (int i = 0; i < 3; i++) {
            assertThat(client.outcome(MAP, map(3, 0, 0x10_0000 + 0x2000L * i, 2 * PAGE))).isEmpty();
        }
        long[] ranges = { 0x10_0000, 0x3000, 0x10_1000, 0x5000, 0x10_1000, 0x1000, 0xf_f000, 0x2000, 0, 0x10_1000,
                0x10_5000, -0x10_5000, 0x10_0001, 0x1fff, 0x10_0000, 0x1fff };
        for (int i = 0; i < ranges.length; i += 2) {
            assertThat(client.outcome(UNMAP, unmap(0, ranges[i], ranges[i + 1]))).as("from 0x%x", ranges[i])
                    .isEqualTo("EINVAL");
            assertThat(server.mappings()).isEqualTo(3);
        }
        assertThat(client.outcome(UNMAP, unmap(0, 0x10_0000, 0x6000))).as("all three").isEmpty();
        assertThat(server.mappings()).isZero();
    }

    private static ByteBuffer map(int flags, long fileOffset, long iova, long bytes) {
        return RawClient.body().putInt(32).putInt(flags).putLong(fileOffset).putLong(iova).putLong(bytes);
    }

    private static ByteBuffer unmap(int flags, long iova, long bytes) {
        return RawClient.body().putInt(24).putInt(flags).putLong(iova).putLong(bytes);
    }

    private static Fd fd(SharedMemory memory) {
        return Fd.adopt(memory.fileDescriptor(), "memory");
    }
}
