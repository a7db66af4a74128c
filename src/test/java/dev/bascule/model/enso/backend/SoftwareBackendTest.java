package dev.bascule.model.enso.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.WireSink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs come and go; their queue files are found by name. */
class SoftwareBackendTest {
    private static final long QUEUE_BYTES = 1L << 21;

    @TempDir
    Path directory;

    private final Arena arena = Arena.ofShared();
    private SoftwareBackend backend = new SoftwareBackend(Path.of("/nowhere/enso"), EnsoBoard.DEFAULT, () -> 0,
            WireSink.NONE);

    @BeforeEach
    void serve() {
        backend.close();
        backend = new SoftwareBackend(directory.resolve("enso"), EnsoBoard.DEFAULT, () -> 0, WireSink.NONE);
    }

    @AfterEach
    void stop() {
        backend.close();
        arena.close();
    }

    @Test
    void aProgramIsServedOnceBothItsQueuesAreThere() throws IOException {
        MessageQueue requests = queue("from", 3, QUEUE_BYTES);
        backend.lookForPrograms();
        assertThat(backend.programCount()).isZero();
        MessageQueue replies = queue("to", 3, QUEUE_BYTES);
        backend.lookForPrograms();
        backend.lookForPrograms();
        assertThat(backend.programCount()).isEqualTo(1);

        requests.offer(Client.WRITE, 8, 77);
        requests.offer(Client.READ, 8, 0);
        assertThat(backend.work(10)).isEqualTo(2);
        assertThat(replies.poll()).isTrue();
        assertThat(replies.b()).isEqualTo(77);
    }

    @Test
    void aProgramThatCutsItsQueueIsLetGoAndTheNextIsServed() throws IOException {
        queue("from", 0, QUEUE_BYTES);
        queue("to", 0, QUEUE_BYTES);
        backend.lookForPrograms();
        try (RandomAccessFile access = new RandomAccessFile(file("from", 0, QUEUE_BYTES).toFile(), "rw")) {
            access.setLength(0);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(backend.work(10)).isZero();
        }
        assertThat(backend.programCount()).isZero();
        Files.delete(file("from", 0, QUEUE_BYTES));
        queue("from", 0, QUEUE_BYTES).offer(Client.ALLOCATE_PIPE, 0, 0);
        backend.lookForPrograms();
        assertThat(backend.work(10)).isEqualTo(1);
    }

    /** As a huge-page file system makes them: the library maps twice the size it asks for. */
    @Test
    void queueFilesTwiceAsLongAreServedToo() throws IOException {
        MessageQueue requests = queue("from", 0, QUEUE_BYTES);
        MessageQueue replies = queue("to", 0, QUEUE_BYTES);
        for (String way : new String[] { "from", "to" }) {
            try (RandomAccessFile access = new RandomAccessFile(file(way, 0, QUEUE_BYTES).toFile(), "rw")) {
                access.setLength(2 * QUEUE_BYTES);
            }
        }
        backend.lookForPrograms();
        requests.offer(Client.ALLOCATE_PIPE, 0, 0);
        assertThat(backend.work(10)).isEqualTo(1);
        assertThat(replies.poll()).isTrue();
        assertThat(replies.b()).isEqualTo(8191);
    }

    @Test
    void aProgramThatLeavesAndComesAgainStartsAtTheFirstSlot() throws IOException {
        queue("to", 0, QUEUE_BYTES);
        queue("from", 0, QUEUE_BYTES).offer(Client.ALLOCATE_PIPE, 0, 0);
        backend.lookForPrograms();
        assertThat(backend.work(10)).isEqualTo(1);
        Files.delete(file("to", 0, QUEUE_BYTES));
        Files.delete(file("from", 0, QUEUE_BYTES));
        backend.lookForPrograms();
        assertThat(backend.programCount()).isZero();

        MessageQueue replies = queue("to", 0, QUEUE_BYTES);
        queue("from", 0, QUEUE_BYTES).offer(Client.ALLOCATE_PIPE, 0, 0);
        backend.lookForPrograms();
        backend.work(10);
        assertThat(replies.poll()).isTrue();
        assertThat(replies.b()).isEqualTo(8191);
    }

    /** Its queues stay behind; the library joins them, and begins at their first slots. */
    @Test
    void aProgramThatWasKilledIsFollowedByOneThatJoinsItsQueues() throws IOException {
        MessageQueue requests = queue("from", 0, QUEUE_BYTES);
        MessageQueue replies = queue("to", 0, QUEUE_BYTES);
        backend.lookForPrograms();
        for (int i = 0; i < 3; i++) {
            requests.offer(Client.ALLOCATE_PIPE, 0, 0);
        }
        requests.offer(Client.WRITE, 8, 77);
        backend.work(10);
        assertThat(replies.poll()).isTrue(); // the first of three replies; then it is killed

        MessageQueue laterRequests = queue("from", 0, QUEUE_BYTES);
        MessageQueue laterReplies = queue("to", 0, QUEUE_BYTES);
        laterRequests.offer(Client.ALLOCATE_PIPE, 0, 0);
        laterRequests.offer(Client.READ, 8, 0);
        backend.work(10);
        backend.lookForPrograms();
        assertThat(backend.programCount()).isEqualTo(1);
        backend.work(10);
        assertThat(laterReplies.poll()).isTrue();
        assertThat(laterReplies.b()).as("pipes are free again").isEqualTo(8191);
        assertThat(laterReplies.poll()).isTrue();
        assertThat(laterReplies.kind()).as("no reply of the one before").isEqualTo(Client.READ);
        assertThat(laterReplies.b()).as("registers are cleared").isZero();
        assertThat(laterReplies.poll()).isFalse();
    }

    @Test
    void whenTheLastProgramHasLeftTheDeviceIsAsNew() throws IOException {
        queue("to", 0, QUEUE_BYTES);
        queue("to", 1, QUEUE_BYTES);
        queue("from", 0, QUEUE_BYTES).offer(Client.WRITE, 8, 77);
        queue("from", 1, QUEUE_BYTES);
        backend.lookForPrograms();
        backend.work(10);
        Files.delete(file("from", 0, QUEUE_BYTES));
        backend.lookForPrograms();
        assertThat(backend.model().read(8, 4)).as("another still runs").isEqualTo(77);
        Files.delete(file("from", 1, QUEUE_BYTES));
        backend.lookForPrograms();
        assertThat(backend.model().read(8, 4)).isZero();
    }

    @Test
    void filesOfOtherNamesAndSizesAreLeftAlone() throws IOException {
        queue("from", 1, 4096);
        queue("to", 1, 4096);
        Files.createFile(directory.resolve("enso_queue:enso_ipc_queue_from_app99999999_2097152"));
        Files.createFile(directory.resolve("other"));
        backend.lookForPrograms();
        assertThat(backend.programCount()).isZero();
    }

    @Test
    void anUnknownPhysicalAddressTranslatesToZero() throws IOException {
        MessageQueue replies = queue("to", 0, QUEUE_BYTES);
        queue("from", 0, QUEUE_BYTES).offer(Client.TRANSLATE, 0x7FFF_FFE0_0000L, 0);
        backend.lookForPrograms();
        backend.work(10);
        assertThat(replies.poll()).isTrue();
        assertThat(replies.b()).isZero();
    }

    @Test
    void aMissingDirectoryIsAnErrorAndAPrefixWithoutNameToo() {
        try (SoftwareBackend nowhere = new SoftwareBackend(directory.resolve("none/enso"), EnsoBoard.DEFAULT, () -> 0,
                WireSink.NONE)) {
            assertThatThrownBy(nowhere::lookForPrograms).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> new SoftwareBackend(Path.of("/"), EnsoBoard.DEFAULT, () -> 0, WireSink.NONE).close())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("huge-page prefix '/'");
    }

    private MessageQueue queue(String way, int core, long bytes) throws IOException {
        Path file = file(way, core, bytes);
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(bytes);
            return new MessageQueue(access.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena));
        }
    }

    private Path file(String way, int core, long bytes) {
        return directory.resolve("enso_queue:enso_ipc_queue_" + way + "_app" + core + "_" + bytes);
    }
}
