package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.ProbeModel;
import dev.bascule.ffi.EventFd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replies to commands that this end never sent. */
@SuppressWarnings("NullAway.Init")
class StrayReplyTest {
    private static final int REPLIES = 20;

    @TempDir
    private Path folder;

    @Test
    void descriptorsOfAFailedReplyThatNobodyWaitsForAreClosed() throws Exception {
        try (VfioUserServer server = VfioUserServer.serve(new ProbeModel(), folder.resolve("s"), event -> {});
                EventFd event = EventFd.create();
                RawClient client = RawClient.agreed(server.path())) {
            long before = eventDescriptors();
            for (int i = 0; i < REPLIES; i++) {
                client.send(RawClient.message(i, Protocol.DMA_READ, Protocol.HEADER_BYTES,
                        Protocol.TYPE_REPLY | Protocol.FAILED, new byte[0]), event.fd(), event.fd());
            }
            assertThat(client.outcome(Protocol.RESET, RawClient.body())).as("the stray replies are read").isEmpty();
            assertThat(eventDescriptors()).isEqualTo(before);
        }
    }

    private static long eventDescriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(StrayReplyTest::isEvent).count();
        }
    }

    private static boolean isEvent(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("eventfd");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
