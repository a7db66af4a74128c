package dev.bascule.host;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;

/** Threads of a test that begin at the same moment; {@link #join} throws what the first of them threw. */
final class Together {
    /** What one of them does. */
    interface Body {
        void run() throws Exception;
    }

    private final CyclicBarrier barrier;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Together(int threads) {
        barrier = new CyclicBarrier(threads);
    }

    void start(Body body) {
        threads.add(Thread.ofPlatform().daemon().start(() -> {
            try {
                barrier.await();
                body.run();
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
        }));
    }

    /** Whether none has failed. */
    boolean isWell() {
        return failure.get() == null;
    }

    void join() throws Exception {
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new AssertionError("a thread failed: " + cause, cause);
        }
    }
}
