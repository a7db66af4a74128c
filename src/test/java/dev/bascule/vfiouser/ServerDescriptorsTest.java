package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.NativeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Descriptors come with any byte of a message, as many as the kernel carries; the server keeps few. */
@SuppressWarnings("NullAway.Init")
class ServerDescriptorsTest {
    private static final int AT_ONCE = 100;

    @TempDir
    private Path folder;

    private VfioUserServer server;
    private RawClient client;
    private EventFd event;
    private Fd[] many;

    @BeforeEach
    void serve() {
        server = VfioUserServer.serve(new ProbeModel(), folder.resolve("s"), told -> {});
        client = RawClient.agreed(server.path());
        event = EventFd.create();
        many = new Fd[AT_ONCE];
        Arrays.fill(many, event.fd());
    }

    @AfterEach
    void end() {
        client.close();
        server.close();
        event.close();
    }

    @Test
    void anUnfinishedMessageKeepsNoMoreThanAMessageMayHave() throws Exception {
        byte[] whole = RawClient.message(9, 2, 48, 0, new byte[32]);
        for (int i = 0; i < whole.length - 1; i++) {
            client.send(new byte[] { whole[i] }, many);
        }
        until(() -> client.unread() == 0); // the server has received them all, and closes what it does not keep
        until(() -> kept() <= 1 + 16);
        client.send(new byte[] { whole[whole.length - 1] });
        assertThat(client.receive().errno()).as("EINVAL").isEqualTo(22);
        assertThat(client.isServed()).isTrue();
    }

    @Test
    void commandsThatWaitKeepFewToo() throws Exception {
        assertThat(client.outcome(2, map())).isEmpty();
        client.send(write(7, 4, 2, new byte[] { 4, 0 }));
        client.send(write(0, ProbeModel.SOURCE, 8, new byte[] { 0, 0, 1, 0, 0, 0, 0, 0 }));
        client.send(write(0, ProbeModel.LENGTH, 8, new byte[] { 8, 0, 0, 0, 0, 0, 0, 0 }));
        client.send(write(0, ProbeModel.COPY, 4, new byte[] { 1, 0, 0, 0 })); // asks for memory by message, and waits
        assertThat(client.receive().command()).as("DMA_READ").isEqualTo(11);
        try {
            for (int i = 0; i < 10; i++) {
                client.send(RawClient.message(9, 4, 32, 0x10, new byte[16]), Arrays.copyOf(many, 16));
            }
        } catch (NativeException e) {
            assertThat(e.errno()).as("the server closes while these are sent").isEqualTo(Errno.EPIPE);
        }
        assertThat(client.isClosedByServer()).as("after %d descriptors", 10 * 16).isTrue();
        assertThat(server.awaitIdle(20_000)).isTrue();
    }

    private static void until(BooleanSupplier holds) throws InterruptedException {
        long deadline = System.nanoTime() + 20_000_000_000L;
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("kept too many for 20 s").isNegative();
            Thread.sleep(1);
        }
    }

    private static ByteBuffer map() {
        return RawClient.body().putInt(32).putInt(3).putLong(0).putLong(0x10000).putLong(4096);
    }

    private static byte[] write(int region, long offset, int count, byte[] value) {
        return RawClient.message(1, 10, 32 + value.length, 0x10, Arrays.copyOf(
                RawClient.body().putLong(offset).putInt(region).putInt(count).put(value).array(), 16 + value.length));
    }

    /** How many descriptors of this process are the sent one: others come and go in the background. */
    private long kept() {
        String sent = eventfd(Path.of("/proc/self/fdinfo/" + event.fd().number()));
        assertThat(sent).startsWith("eventfd-id:");
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fdinfo"))) {
            return open.filter(one -> eventfd(one).equals(sent)).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String eventfd(Path descriptor) {
        try (Stream<String> lines = Files.lines(descriptor)) {
            return lines.filter(line -> line.startsWith("eventfd-id:")).findFirst().orElse("");
        } catch (IOException | UncheckedIOException e) {
            return ""; // closed meanwhile
        }
    }
}
