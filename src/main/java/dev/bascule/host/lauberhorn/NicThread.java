package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.OwnThread;
import dev.bascule.ffi.Patience;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.ring.IdleStrategy;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that the NIC runs on, and what others have it do there.
 * <p>
 * Thread rule: any thread but the NIC's own; {@link #start} and {@link #stop} by the host.
 */
final class NicThread {
    private static final long COMMAND_NANOS = 30_000_000_000L;
    private static final long LOOK_MILLIS = 10;

    private static final System.Logger LOG = System.getLogger(NicThread.class.getName());

    private final LauberhornNic nic;
    private final IdleStrategy idle;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    NicThread(LauberhornNic nic, LauberhornOptions options) {
        this.nic = nic;
        idle = options.idle().get();
        thread = OwnThread.of("nic", options.onNic(this::run), this::failed);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!stopping) {
            idle.idle(nic.doWork());
        }
    }

    /** A bug of the model: nothing from outside gets here. Who serves looks at {@link #failure}. */
    private void failed(Throwable thrown) {
        LOG.log(System.Logger.Level.WARNING, "the NIC's thread has ended", thrown);
        failure = thrown;
    }

    /**
     * Runs between two rounds of the NIC, and waits for it.
     *
     * @throws IllegalStateException if the command fails, or the NIC's thread has ended or does not answer
     */
    <T> T call(Supplier<T> command) {
        FutureTask<T> task = new FutureTask<>(command::get);
        nic.execute(task);
        Patience patience = new Patience(COMMAND_NANOS);
        while (true) {
            try {
                return task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                check(patience);
            } catch (ExecutionException e) {
                throw new IllegalStateException("the NIC failed at a command: " + e.getCause(), e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for the NIC", e);
            }
        }
    }

    private void check(Patience patience) {
        if (failure != null) {
            throw new IllegalStateException("the NIC's thread has ended: " + failure, failure);
        }
        if (patience.isOver()) {
            throw new IllegalStateException("the NIC's thread has not answered for " + patience);
        }
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
