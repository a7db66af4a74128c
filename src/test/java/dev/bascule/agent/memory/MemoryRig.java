package dev.bascule.agent.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.TierPolicy;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.util.function.Function;

/** Host and agent over a loopback SmartNIC, with pages that a test accesses by hand. */
final class MemoryRig implements AutoCloseable {
    /** Rounds without work after which nothing is under way any more. */
    private static final int QUIET = 16;

    final SmartNicRegion region;
    final Carrier carrier;
    final Pages pages;
    final MemoryHost host;
    MemoryAgent agent;
    PageAgentEnd end;

    /** What carries messages between both sides of a region. */
    interface Carrier {
        PageHostEnd hostEnd();

        /** An end for the agent there is to be now. */
        PageAgentEnd agentEnd();

        /** For a new agent. */
        void renew();

        /** The agent decides about what the host sent; the host takes no decision yet. */
        void decide(MemoryAgent agent);
    }

    /** Pages by hand. */
    static final class Pages implements PageSource {
        final long[] accessed;
        final boolean[] slow;
        final boolean[] unseen;
        final boolean[] gone;
        final boolean[] fixed;
        final boolean[] touchedLately;
        final boolean[] empty;
        /** Whether a touch is known before it is scanned. */
        boolean knowsTouches;
        /** Whether slow accesses are counted without a scan, so that the host takes no sample of its own. */
        boolean counted;
        /** Said to be moved next; what the host takes back itself is not. */
        final boolean[] announced;
        long slowAccesses;
        long accesses;

        Pages(int batches) {
            accessed = new long[batches];
            slow = new boolean[batches];
            unseen = new boolean[batches];
            gone = new boolean[batches];
            fixed = new boolean[batches];
            touchedLately = new boolean[batches];
            empty = new boolean[batches];
            announced = new boolean[batches];
        }

        /** Counted when it is scanned, as access bits of real pages are. */
        void touchUnseen(int batch) {
            unseen[batch] = true;
        }

        void touch(int batch, int times) {
            accessed[batch] |= 1;
            accesses += times;
            slowAccesses += slow[batch] ? times : 0;
        }

        @Override
        public long takeAccessed(int batch) {
            if (unseen[batch]) {
                unseen[batch] = false;
                touch(batch, 1);
            }
            long bits = accessed[batch];
            accessed[batch] = 0;
            return bits;
        }

        @Override
        public void moveSoon(int[] batches, int count, boolean toSlow) {
            for (int i = 0; i < count; i++) {
                assertThat(announced[batches[i]]).as("a move was announced and did not follow").isFalse();
                assertThat(slow[batches[i]]).isNotEqualTo(toSlow);
                announced[batches[i]] = true;
            }
        }

        @Override
        public boolean move(int batch, boolean toSlow) {
            assertThat(announced[batch] || !toSlow).as("batch %d was announced", batch).isTrue();
            announced[batch] = false;
            slow[batch] = toSlow && !fixed[batch];
            return !fixed[batch];
        }

        @Override
        public boolean isThere(int batch) {
            return !gone[batch];
        }

        @Override
        public boolean isUnchanged(int batch) {
            return !touchedLately[batch];
        }

        @Override
        public boolean isKnownAccessed(int batch) {
            return knowsTouches && accessed[batch] != 0;
        }

        @Override
        public boolean isEmpty(int batch) {
            return empty[batch];
        }

        @Override
        public long slowAccesses() {
            return slowAccesses;
        }

        @Override
        public boolean isCounted() {
            return counted;
        }

        @Override
        public long accesses() {
            return accesses;
        }
    }

    MemoryRig(MemoryOptions options, TierPolicy policy, FaultPlan plan, Function<SmartNicRegion, Carrier> carriers) {
        region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT.withPlan(plan).withSeed(plan.seed()));
        carrier = carriers.apply(region);
        pages = new Pages(options.batches());
        host = new MemoryHost(options, pages, carrier.hostEnd());
        end = carrier.agentEnd();
        agent = new MemoryAgent(options.batches(), policy, end);
    }

    /** A new agent in place of the old one. */
    void restart(TierPolicy policy, int batches) {
        carrier.renew();
        end = carrier.agentEnd();
        agent = new MemoryAgent(batches, policy, end);
        host.attach(carrier.hostEnd());
    }

    /** The agent decides, and nothing is in force yet. */
    void decide() {
        carrier.decide(agent);
    }

    /** One period with an agent that answers in time. */
    void period() {
        host.beginPeriod();
        settle();
    }

    void settle() {
        for (int quiet = 0; quiet < QUIET; quiet++) {
            if (agent.doWork() + host.doWork() > 0) {
                quiet = 0;
            }
        }
    }

    @Override
    public void close() {
        region.close();
    }
}
