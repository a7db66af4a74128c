package dev.bascule.cli;

import dev.bascule.ffi.SchedulingClass;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Threads of a program that is to be ruled, by the names by which the kernel knows them. One thread starts and joins. */
final class DemoThreads {
    private final List<Thread> all = new ArrayList<>();
    private final AtomicInteger ruled = new AtomicInteger();
    private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

    void start(String name, Runnable work) {
        Thread thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> {
            try {
                if (SchedulingClass.of(0) == SchedulingClass.EXT) {
                    ruled.getAndIncrement();
                }
                work.run();
            } catch (RuntimeException | Error e) {
                failures.add(e);
            }
        });
        all.add(thread);
        thread.start();
    }

    void join() throws InterruptedException {
        for (Thread thread : all) {
            thread.join();
        }
        Throwable failed = failures.peek();
        if (failed != null) {
            throw new Failure("a thread of the program has failed: " + failed, failed);
        }
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
