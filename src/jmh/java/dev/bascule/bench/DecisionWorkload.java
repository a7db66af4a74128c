package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;

/** A whole decision over one transport, beside the round trip of a line in the same process. */
record DecisionWorkload(String transport) implements Workload {
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
        }
        return variants;
    }

    private static String pace(int pauses) {
        return pauses == 0 ? "tight" : "pause";
    }
}
