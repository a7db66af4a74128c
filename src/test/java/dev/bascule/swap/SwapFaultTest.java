package dev.bascule.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random runs of the production drivers under one kind of fault each; the ledgers must be clean. */
class SwapFaultTest {
    private static final int RUNS = 1000;
    private static final int STEPS = 250;
    private static final long FIRST_SEED = 4_711_000;

    @ParameterizedTest
    @EnumSource
    void ledgersStayCleanUnder(FaultRig.Fault fault) {
        int[] sums = new int[8];
        System.out.println(fault + ": seeds " + FIRST_SEED + " to " + (FIRST_SEED + RUNS - 1));
        for (int run = 0; run < RUNS; run++) {
            FaultRig rig = new FaultRig(FIRST_SEED + run, fault);
            List<String> wrong = rig.run(fault == FaultRig.Fault.EVERYTHING ? 4 * STEPS : STEPS);
            assertThat(wrong).as(fault + ", seed " + (FIRST_SEED + run)).isEmpty();
            Arrays.setAll(sums, i -> sums[i] + rig.counts[i]);
        }
        System.out.println("  host crashes, wraps, commits, window reversals, damage found, agent crashes: "
                + Arrays.toString(sums));
        assertThat(sums[2]).as("commits").isGreaterThan(RUNS);
        switch (fault) {
            case HOST_CRASH -> assertThat(sums[0]).isGreaterThan(RUNS);
            case NUMBER_WRAPS -> assertThat(sums[1]).isGreaterThan(RUNS);
            case COMMIT_WORD_DAMAGED -> assertThat(sums[4]).isGreaterThan(RUNS / 2);
            case AGENT_CRASH -> assertThat(sums[5]).isGreaterThan(RUNS / 2);
            default -> {
            }
        }
    }

    /** An oracle that cannot fail proves nothing: each kind of lie must be found. */
    @Test
    void theLedgerCheckFindsLies() {
        SwapLedger host = new SwapLedger(16);
        host.append(SwapLedger.ADMITTED, 0, 1, 0, 1, Token.NONE);
        host.append(SwapLedger.COMMITTED, 0, 1, 1, 1, 2);
        SwapLedger agent = new SwapLedger(16);
        agent.append(SwapLedger.COMMITTED, 0, 1, 1, 1, 2);
        assertThat(SwapLedgerCheck.faults(host, List.of(agent))).isEmpty();

        agent.append(SwapLedger.REVERSED, 0, 1, 1, Token.NONE, Token.NONE);
        assertThat(SwapLedgerCheck.faults(host, List.of(agent))).hasSize(2).anyMatch(f -> f.contains("resolved twice"))
                .anyMatch(f -> f.contains("agent 0 says reversed, host says committed"));

        host.append(SwapLedger.COMMITTED, 0, 1, 1, 2, 3);
        assertThat(SwapLedgerCheck.faults(host, List.of())).anyMatch(f -> f.contains("ended twice"));

        SwapLedger twice = new SwapLedger(16);
        twice.append(SwapLedger.ADMITTED, 0, 1, 0, 1, Token.NONE);
        twice.append(SwapLedger.ADMITTED, 1, 1, 0, 1, Token.NONE);
        assertThat(SwapLedgerCheck.faults(twice, List.of())).anyMatch(f -> f.contains("which cell 0 holds"));

        SwapLedger absent = new SwapLedger(16);
        absent.append(SwapLedger.DROPPED, 0, 1, 0, 7, Token.NONE);
        assertThat(SwapLedgerCheck.faults(absent, List.of())).anyMatch(f -> f.contains("does not hold"));

        SwapLedger small = new SwapLedger(1);
        small.append(SwapLedger.FENCED, 0, 2, 0, Token.NONE, Token.NONE);
        small.append(SwapLedger.FENCED, 0, 3, 0, Token.NONE, Token.NONE);
        assertThat(SwapLedgerCheck.faults(small, List.of())).anyMatch(f -> f.contains("overwrote 1"));
    }
}
