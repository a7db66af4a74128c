package dev.bascule.host.scx;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A Java program with threads that work, wait and make garbage, and collections that wait for all of them. */
final class ManyThreads {
    private static final int THREADS = 8;
    private static final int ROUNDS = 20;

    private ManyThreads() {}

    public static void main(String[] arguments) throws InterruptedException {
        LongAdder bytes = new LongAdder();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            boolean isCollector = i == 0;
            threads.add(Thread.ofPlatform().start(() -> work(bytes, isCollector)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(THREADS + " threads, " + bytes.sum() / 1024 + " KiB");
    }

    private static void work(LongAdder bytes, boolean isCollector) {
        for (int round = 0; round < ROUNDS; round++) {
            bytes.add(new byte[64 * 1024].length);
            if (isCollector && round % 5 == 0) {
                System.gc();
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
