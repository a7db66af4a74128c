package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Starts agents of one number as threads, each over a mapping of the region of its own, as a process has, and each with its own way to
 * misbehave. They are fenced and never killed: a fenced one lives on for a while.
 */
final class ChaosAgents implements ChaosSupervisor {
    /** One agent. */
    private static final class One {
        private volatile boolean stop;
        private volatile boolean ended;
        private volatile String report = "";
    }

    private final ChaosPlan plan;
    private final int number;
    private final Path directory;
    private final ChaosLoad load;
    private final ChaosTotals totals;
    private final SplittableRandom random;
    private final List<Thread> threads = new ArrayList<>();
    private final boolean outlive;
    private volatile One newest = new One();
    private volatile boolean quiet;
    private ChaosForger forger;

    /** @param outlive the agents are not told that the host has gone */
    ChaosAgents(ChaosPlan plan, int number, Path directory, ChaosLoad load, ChaosTotals totals, long seed,
            boolean outlive) {
        this.plan = plan;
        this.number = number;
        this.directory = directory;
        this.load = load;
        this.totals = totals;
        this.outlive = outlive;
        random = new SplittableRandom(seed);
    }

    @Override
    public void calm() {
        quiet = true;
    }

    @Override
    public synchronized void start() {
        One one = new One();
        newest = one;
        ChaosEnd.Manner[] manners = ChaosEnd.Manner.values();
        ChaosEnd.Manner manner = quiet ? ChaosEnd.Manner.GOOD : manners[random.nextInt(manners.length)];
        SplittableRandom own = random.split();
        if (forger == null) {
            forger = plan.forger(directory);
        }
        threads.add(Thread.ofPlatform().name("chaos-agent").daemon().start(() -> run(one, manner, own)));
    }

    private void run(One one, ChaosEnd.Manner manner, SplittableRandom own) {
        try (Session session = plan.open(directory); AgentEnd real = session.attach(number)) {
            totals.note("agent " + number + " " + manner + " in epoch " + real.epoch());
            ChaosEnd end = new ChaosEnd(real, manner, own, totals, forger, load::isAtWork, () -> quiet);
            new AgentLoop(plan.newPolicy(own.nextLong()), end, System::nanoTime)
                    .run(IdleStrategy.spinThenPark(50, 50_000), () -> one.stop || end.leaves());
            one.report = manner + " ended";
        } catch (RuntimeException | Error e) {
            one.report = manner + ": " + e;
        }
        totals.note("agent " + number + " ended: " + one.report);
        one.ended = true;
    }

    @Override
    public boolean hasExited() {
        return newest.ended;
    }

    @Override
    public void kill() {
        // fenced, and left alone
    }

    @Override
    public long startLimitNanos() {
        return 1_000_000_000;
    }

    @Override
    public String exitReport() {
        return newest.report;
    }

    /** The host has closed: its agents see that in the region; those that outlive it, once another opens its epoch. */
    @Override
    public synchronized void close() {
        newest.stop = !outlive;
    }

    @Override
    public void join() throws InterruptedException {
        newest.stop = true;
        for (Thread thread : threads) {
            thread.join(20_000);
            if (thread.isAlive()) {
                throw new AssertionError("an agent does not end: " + List.of(thread.getStackTrace()));
            }
        }
        if (forger != null) {
            forger.close();
        }
    }
}
