package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.junit.TransportRig;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.DecisionLedger;
import dev.bascule.agent.DecisionLedgerCheck;
import dev.bascule.agent.Mechanism;
import dev.bascule.loopback.FaultKind;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.loopback.FaultRule;
import dev.bascule.loopback.FaultSite;
import dev.bascule.policy.FifoAgent;
import dev.bascule.swap.SwapMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The whole transport (policy, books, exchange, host's table) under one kind of fault at every step, in every mode and
 * placement: ledgers stay clean and the service goes on. The number of the seed is the step at which the fault strikes.
 */
class SwapTransportFaultTest {
    private static final EnclaveShape SHAPE = new EnclaveShape(2, 10, 1, 32, 2);
    private static final int SHORT = 40;
    private static final int FULL = 1000;
    private static final int STEPS = 120;
    /** The header is written once, before any agent: its damage is a test of its own. */
    private static final long AFTER_HEADER = 128;

    /** A mode on a placement that it can have. */
    private record Way(SwapMode mode, Placement placement) {
        static final List<Way> ALL = List.of(new Way(SwapMode.SWAP1, Placement.PULL),
                new Way(SwapMode.SWAP0, Placement.PULL), new Way(SwapMode.SWAP1, Placement.PUSH),
                new Way(SwapMode.SWAP_END, Placement.PULL), new Way(SwapMode.SWAP0, Placement.PUSH),
                new Way(SwapMode.SWAP_END, Placement.PUSH), new Way(SwapMode.SWAP1, Placement.COHERENT),
                new Way(SwapMode.ONE_WORD, Placement.COHERENT));

        boolean bears(Fault fault) {
            return mode != SwapMode.ONE_WORD || fault.kind == null; // coherent memory does not lose or damage lines
        }
    }

    /** What goes wrong. */
    private enum Fault {
        AGENT_CRASHES(null), AGENT_PAUSES(null), ZOMBIE_GOES_ON(null), HOST_CRASHES(null), INTERRUPT_LOST(
                null), LINE_TORN(
                        FaultKind.TEAR), LINE_CORRUPT(FaultKind.CORRUPT), LINE_LOST(
                                FaultKind.DROP), LINE_REPEATED(FaultKind.DUPLICATE), LINE_OVERTAKEN(FaultKind.REORDER);

        final FaultKind kind;

        Fault(FaultKind kind) {
            this.kind = kind;
        }

        FaultPlan plan(long seed) {
            if (this == INTERRUPT_LOST) {
                return FaultPlan.of(seed, FaultRule.of(FaultKind.DROP, FaultSite.INTERRUPT));
            }
            return kind == null
                    ? FaultPlan.NONE
                    : FaultPlan.of(seed, rule(seed, FaultSite.HOST_TO_NIC), rule(seed, FaultSite.NIC_TO_HOST),
                            rule(seed, FaultSite.DMA_WRITE));
        }

        private FaultRule rule(long seed, FaultSite site) {
            FaultRule here = FaultRule.of(kind, site).offsets(AFTER_HEADER, Long.MAX_VALUE).by(1 + seed % 3);
            return seed % 2 == 0 ? here.likely(0.05) : here.messages(seed, 1 + seed % 5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ledgersStayCleanUnder(Fault fault) {
        run(fault, SHORT);
    }

    @ByTurns(of = 4)
    @ParameterizedTest
    @EnumSource
    @Tag("long")
    void ledgersStayCleanAThousandTimesUnder(Fault fault) {
        run(fault, FULL);
    }

    private static void run(Fault fault, int seeds) {
        System.out.println(fault + ": seeds 1 to " + seeds + " in every mode");
        long decisions = 0;
        long struck = 0;
        for (Way way : Way.ALL) {
            for (long seed = 1; way.bears(fault) && seed <= seeds; seed++) {
                try {
                    World world = new World(way, fault, seed);
                    decisions += world.run();
                    struck += world.struck();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(way + " under " + fault + ", seed " + seed + ": " + e.getMessage(), e);
                }
            }
        }
        assertThat(decisions).as("decisions").isGreaterThan(10L * seeds);
        assertThat(struck).as("signs of the fault").isGreaterThan(seeds / 2);
    }

    /** One run. */
    private static final class World {
        private final Fault fault;
        private final long seed;
        private final InProcessSwap session;
        private final List<DecisionLedger> hostLedgers = new ArrayList<>();
        private TransportRig rig;
        private TransportRig.Attached agent;
        private TransportRig.Attached other;
        private long struck;

        World(Way way, Fault fault, long seed) {
            this.fault = fault;
            this.seed = seed;
            session = new InProcessSwap(SHAPE, way.mode, way.placement, fault.plan(seed), seed);
            rig = new TransportRig(session.session(), SHAPE, seed);
            agent = attach();
            other = agent;
        }

        long run() {
            try (session) {
                populate();
                if (fault == Fault.AGENT_CRASHES) {
                    agent.crashAfter(seed % 500);
                } else if (fault == Fault.HOST_CRASHES && seed % 2 == 0) {
                    session.killHostAfter(seed * 3);
                }
                for (int step = 0; step < STEPS; step++) {
                    stepOrDie(step);
                }
                if (fault == Fault.AGENT_CRASHES) {
                    replace();
                }
                session.killHostAfter(Long.MAX_VALUE); // a host that lived through the steps lives on
                rig.drain(agent);
                rig.checkLedgers();
                for (DecisionLedger ledger : hostLedgers) {
                    assertThat(DecisionLedgerCheck.compare(ledger, List.of())).isEmpty();
                }
                return rig.hostLedger().size();
            }
        }

        /** Signs that the fault did something. */
        long struck() {
            var host = rig.end().counters();
            return switch (fault) {
                case HOST_CRASHES -> struck;
                case LINE_TORN, LINE_CORRUPT -> host.torn + host.corrupt;
                case AGENT_CRASHES, ZOMBIE_GOES_ON -> rig.end().epoch() - 1;
                case AGENT_PAUSES -> host.reversals;
                default -> 1;
            };
        }

        private void populate() {
            for (int i = 0; i < 5; i++) {
                rig.create(true);
            }
        }

        private void stepOrDie(int step) {
            try {
                if (step == seed % STEPS) {
                    strike();
                }
                step(step);
            } catch (FuseWindow.Burnt e) {
                restart();
            }
        }

        private void step(int step) {
            boolean paused = fault == Fault.AGENT_PAUSES && step >= seed % STEPS && step < seed % STEPS + 30;
            switch (rig.random().nextInt(5)) {
                case 0 -> {
                    if (!paused) {
                        agent.turn();
                    }
                }
                case 1 -> {
                    if (fault == Fault.ZOMBIE_GOES_ON) {
                        other.turn();
                    } else if (fault == Fault.INTERRUPT_LOST) {
                        rig.end().await(rig.random().nextInt(SHAPE.cpus()), 1);
                    }
                }
                default -> rig.hostStep();
            }
            if (rig.end().trouble(0) != null) {
                replace();
            }
        }

        private void strike() {
            switch (fault) {
                case ZOMBIE_GOES_ON -> replace();
                case HOST_CRASHES -> {
                    if (seed % 2 != 0) {
                        restart();
                    }
                }
                default -> {
                    // strikes by itself
                }
            }
        }

        private void replace() {
            rig.host().fence(0);
            agent = attach();
        }

        /** A starting agent tries again when the control line was lost or damaged. */
        private TransportRig.Attached attach() {
            for (int attempt = 0;; attempt++) {
                rig.host().tickTransport();
                try {
                    TransportRig.Attached attached = rig.attach(new FifoAgent());
                    if (attached.end().epoch() == rig.end().epoch()) {
                        return attached;
                    }
                } catch (AgentException e) {
                    assertThat(attempt).as("attempts to attach: %s", e.getMessage()).isLessThan(100);
                }
            }
        }

        /** A new host process finds the region as it is; its tasks are new ones. */
        private void restart() {
            assertThat(DecisionLedgerCheck.compare(rig.hostLedger(), rig.agentLedgers())).isEmpty();
            hostLedgers.add(rig.hostLedger());
            int before = rig.end().epoch();
            struck++;
            rig = new TransportRig(session.session(), SHAPE, seed + 1);
            assertThat(rig.end().epoch()).isGreaterThan(before);
            agent = attach();
            populate();
        }
    }

    @ParameterizedTest
    @EnumSource(SwapMode.class)
    void anAgentThatNeverAnswersCostsReversalsOnly(SwapMode mode) {
        Placement placement = mode == SwapMode.ONE_WORD ? Placement.COHERENT : Placement.PULL;
        try (InProcessSwap session = new InProcessSwap(SHAPE, mode, placement, FaultPlan.NONE, 1)) {
            TransportRig rig = new TransportRig(session.session(), SHAPE, 1);
            rig.attach(new FifoAgent());
            rig.create(true);
            rig.host().want(0);
            rig.host().commit();
            assertThat(rig.host().decide(0)).isEqualTo(Mechanism.NONE);
            assertThat(rig.host().decideLocally(0)).isNotEqualTo(Mechanism.NONE);
            assertThat(rig.end().counters().reversals).isEqualTo(1);
        }
    }
}
