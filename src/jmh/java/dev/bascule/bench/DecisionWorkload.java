package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * A whole decision over one transport, beside the round trip of a line in the same process; for the synchronous swap also
 * beside two such round trips and a decision that both sides make on one core, without any exchange.
 */
record DecisionWorkload(String transport) implements Workload {
    /** Group: what a synchronous exchange cannot do without, on this machine and in this run. */
    static final String BOUND = "two round trips and the policy";

    private static final int[] PAUSES = { 0, 1 };

    @Override
    public String name() {
        return "decision-" + transport;
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        for (int pauses : PAUSES) {
            DecisionSides decision = new DecisionSides(Ends.open(transport), pauses);
            variants.add(new Variant("decision", pace(pauses), decision::decide, decision::serve));
            Lines lines = new Lines(pauses);
            variants.add(new Variant("line round trip", pace(pauses), lines::ping, lines::pong));
            if (transport.equals("swap0")) {
                Lines trips = new Lines(pauses);
                DecisionSides alone = new DecisionSides(Ends.open("on-host"), pauses);
                variants.add(new Variant(BOUND, pace(pauses), (start, count) -> alone.decideAlone(trips, start, count),
                        (start, count) -> trips.pong(2 * start, 2 * count)));
            }
        }
        return variants;
    }

    private static String pace(int pauses) {
        return pauses == 0 ? "tight" : "pause";
    }
}
