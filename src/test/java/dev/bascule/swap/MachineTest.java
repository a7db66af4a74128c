package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Single steps of both machines: the rows of the specification's tables, and bad input. */
class MachineTest {
    private static final long A = Token.of(1, 0);
    private static final long B = Token.of(2, 0);
    private static final SwapLimits LIMITS = new SwapLimits(100, 50, 2, 3, 10);

    private final HostState host = new HostState(0);
    private final AgentState agent = new AgentState(0, 1, 1);

    MachineTest() {
        host.add(A);
    }

    private String offer(long a) {
        return SwapAction.show(HostMachine.offer(host, a, 0, Token.NONE, 0, 1000, LIMITS));
    }

    private String hostTakes() {
        return SwapAction.show(HostMachine.line(host, agent.out, LIMITS));
    }

    private String agentTakes() {
        return SwapAction.show(AgentMachine.line(agent, host.out));
    }

    private void exchange() {
        offer(A);
        agentTakes();
        AgentMachine.reflect(agent, B, 11, 12);
    }

    @Test
    void aWholeSwapChangesBothSides() {
        assertThat(offer(A)).isEqualTo("WRITE");
        assertThat(agentTakes()).isEqualTo("DECIDE");
        assertThat(SwapAction.show(AgentMachine.reflect(agent, B, 11, 12))).isEqualTo("WRITE");
        assertThat(hostTakes()).isEqualTo("PERSIST|COMMITTED");
        assertThat(host.given).isEqualTo(A);
        assertThat(host.received).isEqualTo(B);
        assertThat(host.argument0).isEqualTo(11);
        assertThat(host.argument1).isEqualTo(12);
        assertThat(host.holds(B)).isTrue();
        assertThat(host.holds(A)).isFalse();
        assertThat(SwapAction.show(HostMachine.close(host, 0, 0))).isEqualTo("WRITE");
        assertThat(agentTakes()).isEqualTo("RESOLVED_COMMITTED|CLOSED");
        assertThat(agent.resolvedGave).isEqualTo(B);
        assertThat(agent.resolvedGot).isEqualTo(A);
    }

    @Test
    void theOutcomeRidesInTheNextOffer() {
        exchange();
        hostTakes();
        offer(B);
        assertThat(agentTakes()).isEqualTo("DECIDE|RESOLVED_COMMITTED");
    }

    @Test
    void aReversedSwapGivesTheTokenBackOnBothSides() {
        exchange();
        assertThat(SwapAction.show(HostMachine.tick(host, 1099, LIMITS))).isEqualTo("-");
        assertThat(SwapAction.show(HostMachine.tick(host, 1100, LIMITS))).isEqualTo("REVERSED|WINDOW_OVER");
        assertThat(host.holds(A)).isTrue();
        assertThat(hostTakes()).as("a reflection that comes too late").isEqualTo("IGNORED");
        HostMachine.close(host, 0, 0);
        assertThat(agentTakes()).isEqualTo("RESOLVED_REVERSED|CLOSED");
        assertThat(agent.resolvedGave).isEqualTo(B);
    }

    @Test
    void theSameOfferGetsTheSameAnswerAgain() {
        exchange();
        long[] first = agent.out.w.clone();
        assertThat(agentTakes()).isEqualTo("WRITE");
        assertThat(agent.out.w).isEqualTo(first);
        assertThat(SwapAction.show(AgentMachine.reflect(agent, Token.of(3, 0), 0, 0))).isEqualTo("IGNORED");
    }

    @Test
    void holdsExtendTheWindowAsOftenAsAllowed() {
        offer(A);
        agentTakes();
        AgentMachine.hold(agent);
        assertThat(hostTakes()).isEqualTo("HELD");
        assertThat(hostTakes()).as("the same hold").isEqualTo("IGNORED");
        AgentMachine.hold(agent);
        assertThat(hostTakes()).isEqualTo("HELD");
        AgentMachine.hold(agent);
        assertThat(hostTakes()).as("one too many").isEqualTo("IGNORED");
        assertThat(SwapAction.show(HostMachine.tick(host, 1199, LIMITS))).isEqualTo("-");
        AgentMachine.reflect(agent, B, 0, 0);
        assertThat(hostTakes()).isEqualTo("PERSIST|COMMITTED");
    }

    @Test
    void refuseEndsTheOfferAtOnce() {
        offer(A);
        agentTakes();
        AgentMachine.refuse(agent);
        assertThat(hostTakes()).isEqualTo("REVERSED|REFUSED");
        assertThat(SwapAction.show(AgentMachine.reflect(agent, B, 0, 0))).isEqualTo("IGNORED");
    }

    @Test
    void reversalsInARowRaiseSuspicionAndACommitClearsIt() {
        for (int i = 0; i < 2; i++) {
            offer(A);
            assertThat(SwapAction.show(HostMachine.reverse(host, LIMITS))).isEqualTo("REVERSED");
        }
        offer(A);
        assertThat(SwapAction.show(HostMachine.reverse(host, LIMITS))).isEqualTo("REVERSED|SUSPECT");
        exchange();
        hostTakes();
        offer(B);
        assertThat(SwapAction.show(HostMachine.reverse(host, LIMITS))).isEqualTo("REVERSED");
    }

    @Test
    void aFenceEndsTheEpochForGood() {
        exchange();
        assertThat(SwapAction.show(HostMachine.fence(host, 2, 2, LIMITS))).isEqualTo("PERSIST|REVERSED|FENCED");
        assertThat(hostTakes()).isEqualTo("IGNORED");
        offer(A);
        assertThat(hostTakes()).as("old reflection, same number").isEqualTo("IGNORED");
        assertThat(agentTakes()).as("the old agent does not know the new epoch").isEqualTo("IGNORED");
        assertThat(SwapAction.show(HostMachine.fence(host, 2, 3, LIMITS))).isEqualTo("EXHAUSTED");
        assertThat(SwapAction.show(HostMachine.fence(host, 65536, 3, LIMITS))).isEqualTo("EXHAUSTED");
    }

    @Test
    void theNumberNeverWraps() {
        host.n = 9;
        assertThat(offer(A)).isEqualTo("WRITE");
        HostMachine.reverse(host, LIMITS);
        assertThat(offer(A)).isEqualTo("FENCE_NEEDED");
        HostMachine.fence(host, 2, 2, LIMITS);
        assertThat(offer(A)).isEqualTo("WRITE");
        assertThat(host.n).isOne();
        assertThat(SwapLimits.LAST_NUMBER).isLessThan(0xFFFF_FFFFL);
    }

    @Test
    void anOfferedTokenIsFrozenAndAnAgentsTokenIsNotTheHosts() {
        offer(A);
        assertThat(SwapAction.show(HostMachine.drop(host, A))).isEqualTo("FROZEN");
        assertThat(SwapAction.show(HostMachine.drop(host, B))).isEqualTo("NOT_HELD");
        HostMachine.reverse(host, LIMITS);
        assertThat(SwapAction.show(HostMachine.drop(host, A))).isEqualTo("PERSIST");
        assertThat(offer(A)).isEqualTo("NOT_HELD");
    }

    @Test
    void aRecordNeverOverflows() {
        for (int i = 10; host.heldCount < HostState.CAPACITY - 1; i++) {
            HostMachine.admit(host, Token.of(i, 0));
        }
        assertThat(offer(Token.NONE)).isEqualTo("WRITE");
        assertThat(SwapAction.show(HostMachine.admit(host, Token.of(99, 0)))).as("the room is spoken for")
                .isEqualTo("FULL");
        HostMachine.reverse(host, LIMITS);
        assertThat(SwapAction.show(HostMachine.admit(host, Token.of(99, 0)))).isEqualTo("PERSIST");
        assertThat(offer(Token.NONE)).isEqualTo("FULL");
        assertThat(offer(A)).as("one for one").isEqualTo("WRITE");
    }

    @Test
    void aTokenThatTheHostHoldsIsNotTheAgentsToGive() {
        HostMachine.admit(host, B);
        exchange();
        assertThat(hostTakes()).isEqualTo("IGNORED");
        assertThat(host.heldCount).isEqualTo(2);
    }

    @Test
    void anAgentOfAnotherIncarnationIsNotHeard() {
        AgentState other = new AgentState(0, 1, 99);
        offer(A);
        assertThat(SwapAction.show(AgentMachine.line(other, host.out))).isEqualTo("IGNORED");
        agentTakes();
        AgentMachine.reflect(agent, B, 0, 0);
        host.incarnation = 99;
        assertThat(hostTakes()).isEqualTo("IGNORED");
    }

    @Test
    void aWrongEchoIsNotCommitted() {
        exchange();
        host.offerDigest ^= 1;
        assertThat(hostTakes()).isEqualTo("IGNORED");
    }

    @Test
    void stopResolvesAndEndsTheAgent() {
        exchange();
        hostTakes();
        HostMachine.stop(host, LIMITS);
        assertThat(agentTakes()).isEqualTo("RESOLVED_COMMITTED|STOPPED");
        assertThat(agentTakes()).isEqualTo("IGNORED");
    }

    @Test
    void aCloseOverAPendingOfferEndsIt() {
        offer(A);
        agentTakes();
        HostMachine.reverse(host, LIMITS);
        HostMachine.close(host, 0, 0);
        assertThat(agentTakes()).isEqualTo("CLOSED");
        assertThat(SwapAction.show(AgentMachine.reflect(agent, B, 0, 0))).isEqualTo("IGNORED");
    }
}
