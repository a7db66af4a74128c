package dev.bascule.swap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The offline oracle: agreement (what an agent resolved, the host resolved alike), exactly once (no swap ends twice on
 * one side), conservation (a token enters a cell only from outside it and leaves only if it was there).
 */
final class SwapLedgerCheck {
    private final Map<Long, String> outcomes = new HashMap<>();
    private final Map<Long, Integer> holder = new HashMap<>();
    private final List<String> faults = new ArrayList<>();

    private SwapLedgerCheck() {}

    /**
     * Checks complete ledgers; the host's entries are in the order in which they happened, over all its cells.
     *
     * @return one sentence for each fault, empty if clean
     */
    static List<String> faults(SwapLedger host, List<SwapLedger> agents) {
        SwapLedgerCheck check = new SwapLedgerCheck();
        if (host.overwritten() > 0) {
            check.faults.add("host ledger overwrote " + host.overwritten() + " entries: use a larger one");
        }
        for (int i = 0; i < host.size(); i++) {
            check.host(host, i);
        }
        for (int id = 0; id < agents.size(); id++) {
            check.agent(agents.get(id), id);
        }
        return check.faults;
    }

    /** The tokens that the host held in its cells at the end of a ledger. */
    static Set<Long> heldAtEnd(SwapLedger host) {
        SwapLedgerCheck check = new SwapLedgerCheck();
        for (int i = 0; i < host.size(); i++) {
            check.host(host, i);
        }
        return check.holder.keySet();
    }

    private void host(SwapLedger l, int i) {
        switch (l.outcome(i)) {
            case SwapLedger.COMMITTED -> {
                once(l, i);
                leave(l, i, l.given(i));
                enter(l, i, l.received(i));
            }
            case SwapLedger.REVERSED -> once(l, i);
            case SwapLedger.ADMITTED -> enter(l, i, l.given(i));
            case SwapLedger.DROPPED -> leave(l, i, l.given(i));
            default -> {
            }
        }
    }

    private void once(SwapLedger l, int i) {
        String before = outcomes.put(key(l, i), outcome(l, i));
        if (before != null) {
            faults.add("swap " + name(l, i) + " ended twice at the host: " + before + ", then " + outcome(l, i));
        }
    }

    private void enter(SwapLedger l, int i, long token) {
        if (token == Token.NONE) {
            return;
        }
        Integer where = holder.putIfAbsent(token, l.cell(i));
        if (where != null) {
            faults.add("swap " + name(l, i) + " brought " + Token.show(token) + ", which cell " + where + " holds");
        }
    }

    private void leave(SwapLedger l, int i, long token) {
        if (token != Token.NONE && !holder.remove(token, l.cell(i))) {
            faults.add("swap " + name(l, i) + " gave away " + Token.show(token) + ", which the cell does not hold");
        }
    }

    private void agent(SwapLedger l, int id) {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < l.size(); i++) {
            if (!seen.add(key(l, i))) {
                faults.add("swap " + name(l, i) + " was resolved twice by agent " + id);
            }
            @Nullable
            String host = outcomes.get(key(l, i));
            if (!outcome(l, i).equals(host)) {
                faults.add("swap " + name(l, i) + ": agent " + id + " says " + outcome(l, i) + ", host says " + host);
            }
        }
    }

    private static long key(SwapLedger l, int i) {
        return (long) l.cell(i) << 48 | (long) l.epoch(i) << 32 | l.number(i);
    }

    private static String name(SwapLedger l, int i) {
        return "(cell " + l.cell(i) + ", epoch " + l.epoch(i) + ", n " + l.number(i) + ")";
    }

    private static String outcome(SwapLedger l, int i) {
        return l.outcome(i) == SwapLedger.COMMITTED
                ? "committed " + Token.show(l.given(i)) + " for " + Token.show(l.received(i))
                : "reversed";
    }
}
