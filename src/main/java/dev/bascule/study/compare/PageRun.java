package dev.bascule.study.compare;

import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.MemoryLedger;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.agent.memory.PageSource;
import dev.bascule.host.TimeHistogram;
import dev.bascule.host.tier.TierLink;
import dev.bascule.ring.Clock;
import dev.bascule.study.experiment.FixedTiers;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Scans of made-up pages go to a memory agent on a thread of its own, decisions come back, and batches change meanwhile. A round
 * scans all batches and ends when each has its decision or was struck. What is missing is given up only when the agent has to be
 * fenced, or when both ends have looked in vain {@value #PATIENCE} times since the last answer: time would not do, as either
 * thread may have had no core.
 * <p>
 * Thread rule: one thread, beside the agent's, which it starts.
 */
final class PageRun implements AutoCloseable {
    private static final int PATIENCE = 1 << 16;
    private static final int NEVER_SILENT = 1 << 30;

    final TimeHistogram window = TimeHistogram.single();
    private final int batches;
    private final Clock clock;
    private final SplittableRandom random;
    private final TierLink link;
    private final MemoryHost host;
    private final boolean[] isOther;
    private Thread agent = Thread.ofPlatform().unstarted(() -> {});
    private volatile boolean stopping;
    private volatile long agentLooks;
    private volatile @Nullable RuntimeException failure;
    private long movedBlindly;
    private long changes;
    private long fences;
    private long nanos;

    /** @param link wave or swap */
    PageRun(String link, int batches, long seed) {
        this(link, batches, seed, Clock.system());
    }

    PageRun(String link, int batches, long seed, Clock clock) {
        this.batches = batches;
        this.clock = clock;
        random = new SplittableRandom(seed);
        isOther = new boolean[batches];
        this.link = TierLink.open(link, null);
        host = new MemoryHost(new MemoryOptions(batches, 4, NEVER_SILENT, batches, 1, 1), new Pages(), this.link.end());
        startAgent();
    }

    /** Half of the scans find a batch touched. */
    private final class Pages implements PageSource {
        @Override
        public long takeAccessed(int batch) {
            isOther[batch] = false;
            return random.nextInt(2);
        }

        @Override
        public boolean move(int batch, boolean slow) {
            movedBlindly += isOther[batch] ? 1 : 0;
            return true;
        }

        @Override
        public long slowAccesses() {
            return 0;
        }

        @Override
        public long accesses() {
            return 0;
        }
    }

    private void startAgent() {
        MemoryAgent mine = link.agent(batches, new FixedTiers(batches, 1, 1));
        stopping = false;
        agent = Thread.ofPlatform().daemon().name("compare-pages").start(() -> {
            long looks = agentLooks; // of a former agent's thread, which has ended
            try {
                while (!stopping) {
                    if (mine.doWork() == 0) {
                        agentLooks = ++looks;
                        Thread.yield();
                    }
                }
            } catch (RuntimeException e) {
                failure = e;
            }
        });
    }

    private void stopAgent() throws InterruptedException {
        stopping = true;
        agent.join();
    }

    /** @param changesPerSecond of all batches together */
    void play(long forNanos, double changesPerSecond) throws InterruptedException {
        long from = clock.nanoTime();
        double nextChange = gap(changesPerSecond);
        long now = from;
        while (now - from < forNanos) {
            long answers = host.scans() - host.struck(); // what is missing of former rounds is not waited for
            host.beginPeriod();
            long begun = clock.nanoTime();
            long inVain = 0;
            long agentInVain = agentLooks;
            now = begun;
            while (answers < host.scans() - host.struck() && !isBroken()
                    && (inVain < PATIENCE || agentLooks - agentInVain < PATIENCE)) {
                while (nextChange <= now - from) {
                    change(random.nextInt(batches));
                    nextChange += gap(changesPerSecond);
                }
                int entries = host.doWork();
                now = clock.nanoTime();
                if (entries > 0) {
                    answers += entries;
                    inVain = 0;
                    agentInVain = agentLooks;
                    window.record(now - begun);
                } else {
                    inVain++;
                    Thread.yield();
                }
            }
            look();
            now = clock.nanoTime();
        }
        nanos += now - from;
    }

    private boolean isBroken() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return failure != null || link.trouble() != null;
    }

    private double gap(double perSecond) {
        return perSecond == 0 ? Double.POSITIVE_INFINITY : -Math.log(1 - random.nextDouble()) * 1e9 / perSecond;
    }

    private void change(int batch) {
        isOther[batch] = true;
        host.changed(batch);
        changes++;
    }

    /** The swap's agent may have to be fenced, as when it got no core for long. */
    private void look() throws InterruptedException {
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw new IllegalStateException("memory agent over " + link.name() + ": " + thrown.getMessage(), thrown);
        }
        if (link.trouble() != null) {
            fences++;
            stopAgent();
            link.renew();
            host.attach(link.end());
            startAgent();
        }
    }

    MemoryLedger ledger() {
        return host.ledger();
    }

    long scans() {
        return host.scans();
    }

    long struck() {
        return host.struck();
    }

    /** Scans of which no decision came: the agent was fenced, or it was lost. */
    long unanswered() {
        return host.scans() - host.struck() - host.ledger().decided();
    }

    long changes() {
        return changes;
    }

    long fences() {
        return fences;
    }

    /** Batches moved by a decision on pages that had changed since they were scanned. */
    long movedBlindly() {
        return movedBlindly;
    }

    double seconds() {
        return nanos / 1e9;
    }

    @Override
    public void close() throws InterruptedException {
        stopAgent();
        link.close();
    }
}
