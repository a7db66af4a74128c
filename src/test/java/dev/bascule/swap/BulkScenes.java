package dev.bascule.swap;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.MemoryHost;
import dev.bascule.agent.memory.MemoryOptions;
import dev.bascule.agent.memory.PageSource;
import dev.bascule.explore.Explorer;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.study.experiment.FixedTiers;
import dev.bascule.swap.memory.SwapPageAgent;
import dev.bascule.swap.memory.SwapPageHost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A memory host and its agents over one lane of the bulk swap, production classes all of them: two batches that nobody
 * touches, so that each is to be demoted. What each end hands out and takes goes by {@link BulkHands}.
 */
public final class BulkScenes implements Explorer.Scene {
    static final int BATCHES = 2;
    private static final SwapBulkArea AREA = new SwapBulkArea(1, 257, 0, 0);
    private static final int AGENT = 1;
    private static final int PERIODS = 4;
    private static final long PAGE = 4096;

    private final Explorer explorer;
    private final String name;
    private final PinnedMemory nic;
    private final PinnedMemory memory;
    private final SwapLedger hostLedger = new SwapLedger(256);
    private final List<SwapLedger> agentLedgers = new ArrayList<>();
    private final Pages pages = new Pages();
    private final SwapBulkHost swap;
    private final MemoryHost host;
    private final BulkHands hands;
    private boolean suspected;
    private boolean renewed;

    private BulkScenes(Explorer explorer, String name, PinnedMemory all) {
        this.explorer = explorer;
        this.name = name;
        all.segment().fill((byte) 0);
        explorer.memory().cover(all.address(), all.sizeBytes());
        nic = all.slice(0, PAGE);
        memory = all.slice(PAGE, all.sizeBytes() - PAGE);
        swap = new SwapBulkHost(AREA, new PinnedWindow(nic), new PinnedWindow(memory), () -> 1, hostLedger);
        hands = new BulkHands(swap, hostLedger);
        host = new MemoryHost(MemoryOptions.of(BATCHES).withMostMoves(BATCHES), pages,
                hands.host(new SwapPageHost(swap)));
    }

    /** The scene of this name: hand over, change, crash, zombie. A new one for each run. */
    public static Supplier<Explorer.Scene> of(String name, Explorer explorer) {
        PinnedMemory all = PinnedMemory.allocate(PAGE + (AREA.hostBytes() + PAGE - 1) / PAGE * PAGE);
        return () -> new BulkScenes(explorer, name, all);
    }

    private final class Pages implements PageSource {
        final boolean[] slow = new boolean[BATCHES];

        @Override
        public long takeAccessed(int batch) {
            return 0;
        }

        @Override
        public boolean move(int batch, boolean toSlow) {
            hands.moves(batch);
            slow[batch] = toSlow;
            return true;
        }

        @Override
        public long slowAccesses() {
            return 0;
        }

        @Override
        public boolean isCounted() {
            return true;
        }

        @Override
        public long accesses() {
            return 0;
        }
    }

    @Override
    public List<Explorer.Body> bodies() {
        MemoryAgent first = agent();
        List<Explorer.Body> bodies = new ArrayList<>();
        bodies.add(new Explorer.Body("host", false, this::hosts));
        bodies.add(new Explorer.Body("agent", name.equals("crash"), () -> decides(first)));
        if (name.equals("crash") || name.equals("zombie")) {
            bodies.add(new Explorer.Body("successor", false, () -> {
                if (name.equals("crash")) {
                    explorer.await(() -> explorer.hasEnded(AGENT));
                }
                suspected = true;
                explorer.changed();
                explorer.await(() -> renewed);
                decides(agent());
            }));
        }
        return bodies;
    }

    private MemoryAgent agent() {
        SwapLedger ledger = new SwapLedger(256);
        agentLedgers.add(ledger);
        int epoch = swap.epoch();
        TierPolicy policy = new FixedTiers(BATCHES, 1, 1);
        return new MemoryAgent(BATCHES, policy, hands.agent(epoch, new SwapPageAgent(
                new SwapBulkAgent(AREA, new PinnedWindow(nic), new PinnedWindow(memory), epoch, ledger))));
    }

    private void decides(MemoryAgent agent) {
        while (true) {
            long seen = explorer.seen();
            if (agent.doWork() == 0) {
                explorer.pause(seen);
            }
        }
    }

    /** Periods until both batches are in slow memory; then only looks. */
    private void hosts() {
        for (int period = 0; period < PERIODS && host.slowBatches() < BATCHES; period++) {
            host.beginPeriod();
            if (period == 0 && name.equals("change")) {
                work();
                hands.changes(0);
                host.changed(0);
            }
            long decided = host.ledger().decided();
            while (host.ledger().decided() == decided && !renewing() && host.slowBatches() < BATCHES) {
                long seen = explorer.seen();
                if (work() == 0) {
                    explorer.pause(seen);
                }
            }
        }
        while (true) {
            long seen = explorer.seen();
            renewing();
            if (work() == 0) {
                explorer.pause(seen);
            }
        }
    }

    private int work() {
        int work = host.doWork();
        if (work > 0) {
            explorer.changed();
        }
        return work;
    }

    /** Whether a new agent takes the place of one that is suspected, now. */
    private boolean renewing() {
        if (!suspected || renewed) {
            return false;
        }
        swap.fence();
        hands.fenced();
        host.attach(hands.host(new SwapPageHost(swap)));
        renewed = true;
        explorer.changed();
        return true;
    }

    @Override
    public void atEnd() {
        List<String> faults = SwapLedgerCheck.faults(hostLedger, agentLedgers);
        BulkHands.require(faults.isEmpty(), faults.toString());
        for (int batch = 0; batch < BATCHES; batch++) {
            BulkHands.require(pages.slow[batch], "all wait, and batch " + batch + " was never moved; "
                    + host.ledger());
        }
        BulkHands.require(host.ledger().decided() == hands.taken(),
                "of " + hands.taken() + " decisions taken the ledger "
                        + "has " + host.ledger());
    }
}
