package dev.bascule.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What one or two lines carry between two cores: ping-pong, request/response swap, bilateral exchange. */
final class LineWorkload implements Workload {
    private static final String[] JAVA_PACES = { "tight", "pause" };

    @Override
    public String name() {
        return "line";
    }

    @Override
    public List<Variant> variants(Twins twins) {
        List<Variant> variants = new ArrayList<>();
        java(variants, "java ping-pong", lines -> lines::ping, lines -> lines::pong);
        variants.addAll(twins.variants("c ping-pong", "ping", 0, "pong", 0, 4096));
        java(variants, "java swap", lines -> lines::request, lines -> lines::respond);
        variants.addAll(twins.variants("c swap", "request", 0, "respond", 0, 4096));
        java(variants, "java exchange", lines -> lines.exchange(0), lines -> lines.exchange(1));
        variants.addAll(twins.variants("c exchange", "exchange", 0, "exchange", 1, 4096));
        return variants;
    }

    private static void java(List<Variant> variants, String group, Function<Lines, Side> first,
            Function<Lines, Side> second) {
        for (int pauses = 0; pauses < JAVA_PACES.length; pauses++) {
            Lines lines = new Lines(pauses);
            variants.add(new Variant(group, JAVA_PACES[pauses], first.apply(lines), second.apply(lines)));
        }
    }
}
