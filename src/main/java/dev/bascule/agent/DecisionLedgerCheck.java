package dev.bascule.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the host's ledger with the agents' ledgers, after the run. The oracle of the conformance suite.
 * <p>
 * Rules: a decision (epoch, CPU, number) is settled once; an agent never believes another outcome than the host gave;
 * nothing becomes effective that the agent says it did not stage; a decision that the agent believes aborted may be one
 * that the host never took (withdrawn or reversed); and one task is started at most once per sequence
 * number, so no decision is enforced twice or stale.
 */
public final class DecisionLedgerCheck {
    private DecisionLedgerCheck() {}

    /**
     * Violations, in words; empty if the ledgers agree. An agent may know less than the host, but must not contradict
     * it.
     */
    public static List<String> compare(DecisionLedger host, List<DecisionLedger> agents) {
        List<String> violations = new ArrayList<>();
        Map<String, String> settled = new HashMap<>();
        Set<Long> started = new HashSet<>();
        for (int i = 0; i < host.size(); i++) {
            String previous = settled.put(key(host, i), value(host, i));
            if (previous != null) {
                violations.add("host settled twice: " + key(host, i) + ": " + previous + ", then " + value(host, i));
            }
            boolean isTask = Identity.task(host.identity(i)) < Identity.MAX_TASKS;
            if (isTask && host.outcome(i) == Outcome.COMPLETE
                    && !started.add(withoutEpoch(host.identity(i)))) {
                violations.add("task started twice at one sequence number: " + key(host, i) + " " + value(host, i));
            }
        }
        for (DecisionLedger agent : agents) {
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < agent.size(); i++) {
                String truth = settled.get(key(agent, i));
                boolean unused = truth == null && agent.outcome(i) == Outcome.ABORTED;
                if (!unused && !value(agent, i).equals(truth)) {
                    violations.add("agent believes " + key(agent, i) + ": " + value(agent, i) + ", host: " + truth);
                }
                if (!seen.add(key(agent, i))) {
                    violations.add("agent got an outcome twice: " + key(agent, i));
                }
            }
        }
        return violations;
    }

    private static long withoutEpoch(long identity) {
        return Identity.of(0, Identity.sequence(identity), Identity.task(identity));
    }

    private static String key(DecisionLedger ledger, int entry) {
        return "epoch " + Identity.epoch(ledger.identity(entry)) + " cpu " + ledger.cpu(entry) + " decision "
                + ledger.number(entry);
    }

    private static String value(DecisionLedger ledger, int entry) {
        return ledger.outcome(entry) + " of task " + Identity.task(ledger.identity(entry)) + " #"
                + Identity.sequence(ledger.identity(entry));
    }
}
