package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.OwnThread;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.ring.IdleStrategy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that the NIC runs on, and what others have it do there.
 * <p>
 * Thread rule: any thread but the NIC's own; {@link #start} and {@link #stop} by the host.
 */
final class NicThread {
    private static final long COMMAND_SECONDS = 30;

    private final LauberhornNic nic;
    private final IdleStrategy idle;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    NicThread(LauberhornNic nic, LauberhornOptions options) {
        this.nic = nic;
        idle = options.idle().get();
        thread = OwnThread.of("nic", options.onNic(this::run));
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!stopping) {
                idle.idle(nic.doWork());
            }
        } catch (RuntimeException | Error e) {
            failure = e; // a bug of the model: nothing from outside gets here
        }
    }

    /** Runs between two rounds of the NIC, and waits for it. */
    <T> T call(Supplier<T> command) {
        CountDownLatch done = new CountDownLatch(1);
        Object[] result = new Object[1];
        nic.execute(() -> {
            result[0] = command.get();
            done.countDown();
        });
        try {
            if (!done.await(COMMAND_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the NIC's thread has not answered for " + COMMAND_SECONDS + " s"
                        + (failure == null ? "" : ": it failed with " + failure), failure);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the NIC", e);
        }
        @SuppressWarnings("unchecked")
        T value = (T) result[0];
        return value;
    }

    void stop() throws InterruptedException {
        stopping = true;
        thread.join();
    }

    /** Why it ended, if it did by itself: a bug. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
