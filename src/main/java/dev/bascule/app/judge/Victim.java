package dev.bascule.app.judge;

import java.io.PrintStream;
import java.util.function.BooleanSupplier;

/** A process that drives a card until it is killed. */
public final class Victim {
    /** The line that it prints once frames are under way. */
    static final String UNDER_WAY = "under way";
    private static final int SOME = 500;

    private Victim() {}

    /**
     * Sends and receives as fast as the card takes it.
     *
     * @param plan as that of the process that will kill this one; its far port is known
     * @param isOver whether that process is gone, and this one has to end by itself
     */
    public static void drive(JudgePlan plan, PrintStream out, BooleanSupplier isOver) {
        Bench bench = new Bench(plan);
        bench.explore();
        try (Link link = bench.open(bench.options(plan.queues()))) {
            Traffic traffic = bench.traffic(link, bench.ordinary());
            traffic.exchange(SOME);
            out.println(UNDER_WAY);
            out.flush();
            while (!isOver.getAsBoolean()) {
                traffic.send(Bench.RING);
                traffic.poll();
                traffic.forgive();
            }
        }
    }
}
