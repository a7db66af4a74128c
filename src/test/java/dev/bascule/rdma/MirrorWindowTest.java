package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which stores to a copy leave for the peers. */
class MirrorWindowTest {
    private static final long WORD = 64;
    private static final long[] LINE = { 1, 2, 3, 4, 5, 6, 7, 8 };

    @TempDir
    private Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private Mirror mirror;

    @SuppressWarnings("NullAway.Init")
    private MirrorWriter writer;

    @BeforeEach
    void open() {
        mirror = Mirror.create(folder.resolve("copy.mem"), MirrorShape.of(4096, 4096, 0, 1));
        writer = mirror.writer();
    }

    @AfterEach
    void close() {
        mirror.close();
    }

    /** Whether what is stored leaves. */
    private boolean leaves(Window window, Consumer<Window> store) {
        store.accept(window);
        boolean leaves = writer.ranges() > 0;
        window.writeFence();
        return leaves;
    }

    private void repeatsLeaveNowAndThen(Consumer<Window> store) {
        Window nic = mirror.nicMemory(writer);
        assertThat(leaves(nic, store)).as("a change").isTrue();
        MirrorPair.await("one that stays", () -> !leaves(nic, store));
        MirrorPair.await("one that leaves", () -> leaves(nic, store));
    }

    @Test
    void aWordThatIsStoredAgainAsItIsLeavesNowAndThen() {
        repeatsLeaveNowAndThen(window -> window.storeRelease(WORD, 7));
    }

    @Test
    void aLineThatIsStoredAgainAsItIsLeavesNowAndThen() {
        repeatsLeaveNowAndThen(window -> window.storeLine(WORD, LINE, 0));
    }

    @Test
    void whatThePeerHasStoredMeanwhileIsStoredOver() {
        Window nic = mirror.nicMemory(writer);
        Window adapter = new PinnedWindow(mirror.memory());
        for (int word = 0; word < LINE.length; word++) {
            nic.storeLine(WORD, LINE, 0);
            nic.writeFence();
            adapter.storeRelease(mirror.shape().nicAt() + WORD + 8L * word, 99);
            assertThat(leaves(nic, window -> window.storeLine(WORD, LINE, 0))).as("word " + word).isTrue();
            adapter.storeRelease(mirror.shape().nicAt() + WORD, 99);
            assertThat(leaves(nic, window -> window.storeRelease(WORD, LINE[0]))).isTrue();
        }
    }

    @Test
    void allThatIsStoredToHostMemoryLeaves() {
        Window host = mirror.hostMemory(writer);
        for (int i = 0; i < 100; i++) {
            assertThat(leaves(host, window -> window.storeRelease(WORD, 7))).isTrue();
            assertThat(leaves(host, window -> window.storeLine(2 * WORD, LINE, 0))).isTrue();
        }
    }
}
