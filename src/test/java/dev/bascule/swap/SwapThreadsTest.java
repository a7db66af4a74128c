package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.MemoryType;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.ring.Clock;
import dev.bascule.ring.Doorbell;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Host and agent as two threads on the windows of a SmartNIC's region: each decision runs once or comes back aborted,
 * never both, and both ends agree about every exchange.
 */
class SwapThreadsTest {
    private static final int DECISIONS = 4_000;
    private static final EnclaveShape SHAPE = new EnclaveShape(1, 4, 1, 16, 2);

    @ParameterizedTest
    @CsvSource({ "SWAP0,pull", "SWAP0,coherent", "SWAP1,pull", "SWAP1,push", "SWAP1,coherent", "SWAP_END,pull",
            "SWAP_END,push", "ONE_WORD,coherent" })
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void everyDecisionRunsOnceOrComesBack(SwapMode mode, String placement) throws InterruptedException {
        long seed = 20_260 + mode.ordinal();
        System.out.println(mode.text() + " " + placement + ": seed " + seed);
        SwapOptions options = SwapOptions.DEFAULT.withMode(mode).withPush(placement.equals("push"));
        try (SmartNicRegion region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT.withSeed(seed))) {
            SwapLedger hostLedger = new SwapLedger(1 << 17);
            SwapLedger agentLedger = new SwapLedger(1 << 17);
            boolean coherent = placement.equals("coherent");
            var links = new RegionLinks(region.host().toNic(coherent ? MemoryType.WB : MemoryType.WC),
                    region.host().fromNic(coherent ? MemoryType.WB : MemoryType.WT), region.host().memory(),
                    coherent ? region.nicMemory().segment() : null, List.of());
            RegionHost host = SwapHost.open(links, SHAPE, options, hostLedger, Clock.system());
            AgentSide agent = new AgentSide(SwapAgent.attach(region.nic().memory(), region.nic().hostMemory(),
                    region.nicMemory().segment(), 0, 1, Doorbell.NONE, agentLedger, Clock.system()));
            AtomicReference<Throwable> failed = new AtomicReference<>();
            Thread thread = Thread.ofPlatform().daemon().uncaughtExceptionHandler((t, e) -> failed.set(e))
                    .start(agent);
            BitSet ran = run(host, thread, new SplittableRandom(seed));
            thread.join();
            assertThat(failed.get()).isNull();
            BitSet both = (BitSet) ran.clone();
            both.and(agent.aborted);
            assertThat(both).as("ran and came back").isEqualTo(new BitSet());
            assertThat(ran).as("told as complete").isEqualTo(agent.complete);
            both.or(ran);
            both.or(agent.aborted);
            assertThat(both.cardinality()).as("decisions with one fate").isEqualTo(DECISIONS);
            assertThat(SwapLedgerCheck.faults(hostLedger, List.of(agentLedger))).isEmpty();
        }
    }

    /** Takes decisions and now and then decides by itself, until the agent knows the fate of all. */
    private static BitSet run(RegionHost host, Thread agent, SplittableRandom random) {
        BitSet ran = new BitSet();
        Transaction taken = new Transaction();
        while (agent.isAlive()) {
            host.isReady(0);
            host.want(0);
            host.commit(0);
            for (int look = random.nextInt(64); look >= 0; look--) {
                while (host.poll(0, taken)) {
                    assertThat(ran.get(number(taken))).as("decision %d ran before", number(taken)).isFalse();
                    ran.set(number(taken));
                    host.settle(taken, Outcome.COMPLETE);
                    host.commit(0);
                }
                Thread.onSpinWait();
            }
            if (random.nextInt(8) == 0) {
                host.abandon(0);
            }
            if (random.nextInt(64) == 0) {
                host.tick();
            }
            host.commit(0);
            Thread.yield();
        }
        return ran;
    }

    /** The decision's own number, in place of its task and sequence. */
    private static int number(Transaction decision) {
        return decision.sequence() - 1;
    }

    private static final class AgentSide implements Runnable {
        final BitSet complete = new BitSet();
        final BitSet aborted = new BitSet();
        private final RegionAgent agent;
        private int over;

        AgentSide(RegionAgent agent) {
            this.agent = agent;
        }

        @Override
        public void run() {
            Transaction out = new Transaction();
            agent.ready();
            int made = 0;
            for (int round = 0; over < DECISIONS; round++) {
                if (made < DECISIONS && agent.room(0) > 0) {
                    made += agent.stage(0, out.set(0, agent.epoch(), made + 1, made & 3)) ? 1 : 0;
                    agent.commit();
                }
                agent.outcomes(this::settled);
                if ((round & 63) == 0) {
                    agent.tick();
                }
                agent.heartbeat();
                Thread.yield();
            }
        }

        private void settled(int cpu, int number, long identity, Outcome outcome) {
            BitSet fate = outcome == Outcome.COMPLETE ? complete : aborted;
            int decision = Identity.sequence(identity) - 1;
            if (complete.get(decision) || aborted.get(decision)) {
                throw new AssertionError("decision " + decision + " was told before, now " + outcome);
            }
            fate.set(decision);
            over++;
        }
    }
}
