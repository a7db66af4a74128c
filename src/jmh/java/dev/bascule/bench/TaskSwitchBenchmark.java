package dev.bascule.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * The emulated task switch: two virtual threads on one carrier hand over to each other by unpark and park. One
 * operation is a round trip, two switches.
 */
final class TaskSwitchBenchmark implements Benchmark {
    private static final String ROW = "task-switch";
    private static final double LIMIT_MICROS = 0.5;
    private static final int ROUND_TRIPS = 3_000;

    @Override
    public List<String> rows() {
        return List.of(ROW);
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        List<Double> medians = new ArrayList<>();
        int windows = 0;
        for (int i = 0; i < session.processes(); i++) {
            List<String> options = List.of("-Djdk.virtualThreadScheduler.parallelism=1",
                    "-Djdk.virtualThreadScheduler.maxPoolSize=1");
            List<String> lines = Forks.run(Forks.java(options, TaskSwitchBenchmark.class.getName(),
                    Integer.toString(session.millis())), session, 60);
            String[] fields = lines.get(lines.size() - 1).split("\t");
            medians.add(Double.parseDouble(fields[0]));
            windows += Integer.parseInt(fields[1]);
        }
        double micros = Stats.median(medians);
        return List.of(new Result(ROW, "us", "", micros, Double.NaN, "", micros, Stats.max(medians), LIMIT_MICROS,
                false,
                windows, medians.size(), "round trip of two virtual threads on one carrier; limit is absolute"));
    }

    /** In the forked process: prints the median microseconds of a round trip and the number of windows. */
    public static void main(String[] args) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
        List<Double> micros = new ArrayList<>();
        int window = 0;
        while (System.nanoTime() - end < 0 || micros.isEmpty()) {
            double us = new TaskSwitchBenchmark().window();
            if (window++ > 100) {
                micros.add(us);
            }
        }
        System.out.println(Stats.median(micros) + "\t" + micros.size());
    }

    private volatile int turn;
    private volatile double micros;

    private double window() throws InterruptedException {
        Thread[] both = new Thread[2];
        both[1] = Thread.ofVirtual().unstarted(() -> handOver(both, 1));
        both[0] = Thread.ofVirtual().unstarted(() -> {
            Cpus.pin(Cpus.allowed().get(0));
            handOver(both, 0);
        });
        both[1].start();
        both[0].start();
        both[0].join();
        both[1].join();
        return micros;
    }

    private void handOver(Thread[] both, int me) {
        long from = System.nanoTime();
        for (int i = 0; i < ROUND_TRIPS; i++) {
            while (turn != me) {
                LockSupport.park();
            }
            turn = 1 - me;
            LockSupport.unpark(both[1 - me]);
        }
        if (me == 0) {
            micros = (System.nanoTime() - from) / 1_000.0 / ROUND_TRIPS;
        }
    }
}
