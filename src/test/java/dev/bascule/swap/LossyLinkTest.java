package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The machines over messages that may be lost, duplicated and reordered. As in the transport, each end writes its newest
 * line once more at every tick.
 */
class LossyLinkTest {
    private static final int RUNS = 1000;
    private static final int TICK = 20;
    private static final SwapLimits LIMITS = new SwapLimits(400, 100, 2, 1000, SwapLimits.LAST_NUMBER);

    /** A link with messages under way, each to be delivered some time, perhaps twice, perhaps never. */
    private static final class Link {
        private final Random random;
        private final int lossPercent;
        private final List<long[]> underWay = new ArrayList<>();

        Link(Random random, int lossPercent) {
            this.random = random;
            this.lossPercent = lossPercent;
        }

        void send(SwapLine line) {
            underWay.add(line.w.clone());
        }

        boolean receive(SwapLine into) {
            if (underWay.isEmpty()) {
                return false;
            }
            int at = random.nextInt(underWay.size());
            long[] message = random.nextInt(4) == 0 ? underWay.get(at) : underWay.remove(at);
            System.arraycopy(message, 0, into.w, 0, Line.WORDS);
            return random.nextInt(100) >= lossPercent;
        }
    }

    private static final class Ends {
        final Random random;
        final Link toAgent;
        final Link toHost;
        final HostState host = new HostState(0);
        final AgentState agent = new AgentState(0, 1, 1);
        final Set<Long> view = new TreeSet<>(List.of(11L, 12L));
        final SwapLine in = new SwapLine();
        final SwapLedger hostLedger = new SwapLedger(4096);
        final SwapLedger agentLedger = new SwapLedger(4096);
        long now;
        long ticked;
        int committed;
        int reversed;

        Ends(long seed, int lossPercent) {
            random = new Random(seed);
            toAgent = new Link(random, lossPercent);
            toHost = new Link(random, lossPercent);
            for (long t = 1; t <= 2; t++) {
                HostMachine.admit(host, t);
                hostLedger.append(SwapLedger.ADMITTED, 0, 1, 0, t, Token.NONE);
            }
        }

        void offer() {
            long a = random.nextBoolean() || host.heldCount == 0 ? Token.NONE : host.held[0];
            if ((HostMachine.offer(host, a, 0, Token.NONE, 0, now, LIMITS) & SwapAction.WRITE) != 0) {
                toAgent.send(host.out);
            }
        }

        void close() {
            if ((HostMachine.close(host, 0, 0) & SwapAction.WRITE) != 0) {
                toAgent.send(host.out);
            }
        }

        void step(boolean offering) {
            now += random.nextInt(6);
            if (offering && host.phase == HostState.IDLE && random.nextInt(3) == 0) {
                offer();
            }
            hostStep();
            agentStep();
            if (now - ticked >= TICK) {
                ticked = now;
                tick();
            }
        }

        /** What {@link HostCell#repeat} and {@link AgentCell#repeat} do. */
        private void tick() {
            if (host.out.w[0] != 0) {
                toAgent.send(host.out);
            }
            if (agent.answered) {
                toHost.send(agent.out);
            }
        }

        private void hostStep() {
            long a = host.offered;
            int actions = HostMachine.tick(host, now, LIMITS);
            if (actions == 0 && toHost.receive(in) && in.accepted(host.epoch, host.n, SwapLine.agentSeed(0))) {
                actions = HostMachine.line(host, in, LIMITS);
            }
            if ((actions & SwapAction.COMMITTED) != 0) {
                committed++;
                hostLedger.append(SwapLedger.COMMITTED, 0, 1, host.n, a, host.received);
            } else if ((actions & SwapAction.REVERSED) != 0) {
                reversed++;
                hostLedger.append(SwapLedger.REVERSED, 0, 1, host.n, Token.NONE, Token.NONE);
            }
            if ((actions & (SwapAction.COMMITTED | SwapAction.REVERSED)) != 0) {
                close();
            }
        }

        private void agentStep() {
            if (!toAgent.receive(in) || !in.accepted(1, in.n(), SwapLine.hostSeed(0))) {
                return;
            }
            int actions = AgentMachine.line(agent, in);
            if ((actions & SwapAction.RESOLVED_COMMITTED) != 0) {
                agentLedger.append(SwapLedger.COMMITTED, 0, 1, agent.resolvedNumber, agent.resolvedGot,
                        agent.resolvedGave);
                view.remove(agent.resolvedGave);
                if (agent.resolvedGot != Token.NONE) {
                    view.add(agent.resolvedGot);
                }
            } else if ((actions & SwapAction.RESOLVED_REVERSED) != 0) {
                agentLedger.append(SwapLedger.REVERSED, 0, 1, agent.resolvedNumber, Token.NONE, Token.NONE);
            }
            if ((actions & SwapAction.DECIDE) != 0) {
                long b = view.isEmpty() || random.nextBoolean() ? Token.NONE : view.iterator().next();
                actions |= AgentMachine.reflect(agent, b, 0, 0);
            }
            if ((actions & SwapAction.WRITE) != 0) {
                toHost.send(agent.out);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 10, 30, 60 })
    void ledgersStayCleanAndSwapsGoOnAtLossPercent(int lossPercent) {
        long first = 90_000;
        System.out.println("loss " + lossPercent + " %: seeds " + first + " to " + (first + RUNS - 1));
        int committed = 0;
        int reversed = 0;
        for (int run = 0; run < RUNS; run++) {
            Ends ends = new Ends(first + run, lossPercent);
            for (int i = 0; i < 400; i++) {
                ends.step(true);
            }
            for (int i = 0; i < 4000 && !settled(ends); i++) {
                ends.step(false);
            }
            assertThat(SwapLedgerCheck.faults(ends.hostLedger, List.of(ends.agentLedger))).as("seed " + (first + run))
                    .isEmpty();
            assertThat(settled(ends)).as("repeating ends every doubt, seed " + (first + run)).isTrue();
            Set<Long> all = new TreeSet<>(ends.view);
            for (int i = 0; i < ends.host.heldCount; i++) {
                assertThat(all.add(ends.host.held[i])).as("a token at both ends").isTrue();
            }
            assertThat(all).containsExactly(1L, 2L, 11L, 12L);
            committed += ends.committed;
            reversed += ends.reversed;
        }
        System.out.println("  committed " + committed + ", reversed " + reversed);
        assertThat(committed).isGreaterThan(RUNS);
    }

    private static boolean settled(Ends ends) {
        return ends.host.phase == HostState.IDLE && ends.agent.phase != AgentState.REFLECTED
                && ends.agent.n >= ends.host.last;
    }
}
