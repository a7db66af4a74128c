package dev.bascule.cli;

import dev.bascule.ffi.SchedulingClass;
import dev.bascule.run.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Threads of a program that is to be ruled, by the names by which the kernel knows them. They begin together, once each has
 * had a CPU: on a busy machine threads take seconds to come to life, which is none of their work. One thread adds and runs.
 */
final class DemoThreads {
    private record Named(String name, LongConsumer work) {}

    private final List<Named> all = new ArrayList<>();
    private final BooleanSupplier isRuled;
    private final AtomicInteger ruled = new AtomicInteger();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private boolean hasBegun;
    private long beginNanos;

    DemoThreads() {
        this(() -> SchedulingClass.of(0) == SchedulingClass.EXT);
    }

    /** @param isRuled asked by each thread at first */
    DemoThreads(BooleanSupplier isRuled) {
        this.isRuled = isRuled;
    }

    /** One more; its work is told when all of them began, by {@link System#nanoTime}. */
    void add(String name, LongConsumer work) {
        all.add(new Named(name, work));
    }

    /** Starts them and waits for their end; returns when all began. */
    long run() throws InterruptedException {
        CountDownLatch alive = new CountDownLatch(all.size());
        List<Thread> threads = all.stream()
                .map(one -> Thread.ofPlatform().name(one.name).daemon().start(() -> live(one, alive))).toList();
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable failed = failures.peek();
        if (failed != null) {
            throw new Failure("a thread of the program has failed: " + failed, failed);
        }
        return begin();
    }

    private void live(Named one, CountDownLatch alive) {
        try {
            try {
                if (isRuled.getAsBoolean()) {
                    ruled.getAndIncrement();
                }
            } finally {
                alive.countDown();
            }
            alive.await();
            one.work.accept(begin());
        } catch (InterruptedException | RuntimeException | Error e) {
            failures.add(e);
        }
    }

    /** Of whichever thread comes first. */
    private synchronized long begin() {
        if (!hasBegun) {
            hasBegun = true;
            beginNanos = System.nanoTime();
        }
        return beginNanos;
    }

    /** How many of them began in the class that a scheduler of sched_ext rules. */
    long ruled() {
        return ruled.get();
    }

    static void sleepUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
