package dev.bascule.lanes;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What was asked for on the command line of {@code scripts/test}. */
record Options(boolean defaults, boolean byTurns, Set<String> lanes, Set<String> mustRun, boolean coverage,
        boolean spin,
        int fuzzMinutes, int chaosMinutes, String chaosSeed, int kills, String suite) {
    /** The lanes beside the default ones, in the order in which they run. */
    static final List<String> FURTHER = List.of("long", "lab", "iommufd", "kernel-6.12", "rdma", "models", "dpdk",
            "fuzz", "chaos",
            "kills", "stress", "web", "rpc", "captures", "cosim", "pages", "site", "bare");

    /** A word on the command line that means nothing, or misses its value. */
    static final class UsageException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    static Options parse(String... arguments) {
        Parser parser = new Parser(List.of(arguments));
        while (parser.at < parser.words.size()) {
            parser.word(parser.words.get(parser.at++));
        }
        if (!parser.defaults && parser.coverage) {
            throw new UsageException("--coverage is that of the default tests; it does not go with --only");
        }
        if (!parser.defaults && parser.lanes.isEmpty()) {
            throw new UsageException("--only needs a lane; scripts/test --help lists them");
        }
        return new Options(parser.defaults, parser.byTurns, parser.lanes, parser.mustRun, parser.coverage, parser.spin,
                parser.fuzz, parser.chaos, parser.chaosSeed, parser.kills, parser.suite);
    }

    boolean wants(String lane) {
        return lanes.contains(lane);
    }

    private static final class Parser {
        private final List<String> words;
        private int at;
        private boolean defaults = true;
        private final Set<String> lanes = new LinkedHashSet<>();
        private final Set<String> mustRun = new LinkedHashSet<>();
        private boolean byTurns;
        private boolean coverage;
        private boolean spin;
        private int fuzz = 10;
        private int chaos = 30;
        private String chaosSeed = "";
        private int kills = 200;
        private String suite = "";

        Parser(List<String> words) {
            this.words = new ArrayList<>(words);
        }

        private void word(String word) {
            String lane = word.startsWith("--") ? word.substring(2) : "";
            switch (word) {
                case "--only" -> defaults = false;
                case "--by-turns" -> byTurns = true;
                case "--coverage" -> coverage = true;
                case "--spin" -> {
                    lanes.add("models");
                    spin = true;
                }
                case "--all" -> {
                    lanes.addAll(FURTHER);
                    coverage = true;
                    spin = true;
                }
                case "--fuzz" -> fuzz = number(fuzz);
                case "--chaos" -> chaos = number(chaos);
                case "--kills" -> kills = number(kills);
                case "--bare" -> suite = at < words.size() && words.get(at).matches("[a-z]+") ? words.get(at++) : "";
                case "--chaos-seed" -> {
                    chaosSeed = value("--chaos-seed needs a number: the seed that a failed chaos run printed",
                            "[0-9]+");
                    lanes.add("chaos");
                }
                case "--must" ->
                    mustRun.addAll(
                            List.of(value("--must needs lanes, with commas between", "[a-z0-9,.-]+").split(",")));
                default -> {
                    if (!FURTHER.contains(lane)) {
                        throw new UsageException("unknown option '" + word + "'");
                    }
                }
            }
            if (FURTHER.contains(lane)) {
                lanes.add(lane);
            }
        }

        private int number(int otherwise) {
            return at < words.size() && words.get(at).matches("[0-9]{1,8}")
                    ? Integer.parseInt(words.get(at++))
                    : otherwise;
        }

        private String value(String message, String form) {
            if (at == words.size() || !words.get(at).matches(form)) {
                throw new UsageException(message);
            }
            return words.get(at++);
        }
    }
}
