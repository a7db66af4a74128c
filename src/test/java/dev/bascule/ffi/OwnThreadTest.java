package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that end by an exception. */
class OwnThreadTest {
    private final List<String> heard = new ArrayList<>();

    @AfterEach
    void nobodyHears() {
        OwnThread.onEnd((name, thrown) -> {});
    }

    private static void run(Thread thread) throws InterruptedException {
        thread.start();
        thread.join();
    }

    private static Runnable thrower(Error error) {
        return () -> {
            throw error;
        };
    }

    @Test
    void theEndOfAThreadIsHeardAndThatOfOnePeersEndsNothing() throws Exception {
        OwnThread.onEnd((name, thrown) -> heard.add(name + ": " + thrown.getMessage()));
        run(OwnThread.of("nic", thrower(new OutOfMemoryError("a test's"))));
        run(OwnThread.ofPeer("peer", thrower(new AssertionError("a stranger's"))));
        run(OwnThread.of("done", () -> {}));
        assertThat(heard).containsExactly("nic: a test's");
    }

    @Test
    void whoKnowsWhatFollowsIsTold() throws Exception {
        run(OwnThread.of("link", thrower(new AssertionError("a link's")), thrown -> heard.add(thrown.getMessage())));
        assertThat(heard).containsExactly("a link's");
    }
}
