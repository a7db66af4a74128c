package dev.bascule.cli;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Lists of cores as users write them: {@code 2,3} or {@code 4-7,10}. */
final class CoreList {
    private static final int MOST = 8192;

    private CoreList() {}

    /** The cores in the order written; a {@link Failure} for what is no list. */
    static List<Integer> parse(String text) {
        return parse("--cores", text);
    }

    /** The same for another option. */
    static List<Integer> parse(String option, String text) {
        List<Integer> cores = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            if (!part.matches("\\d{1,4}(-\\d{1,4})?")) {
                throw new Failure(option + " " + text + ": write numbers and ranges, such as 2,3 or 4-7");
            }
            String[] ends = part.split("-");
            int first = Integer.parseInt(ends[0]);
            int last = Integer.parseInt(ends[ends.length - 1]);
            if (last < first || last >= MOST) {
                throw new Failure(option + " " + text + ": " + part + " is no range of cores");
            }
            for (int core = first; core <= last; core++) {
                cores.add(core);
            }
        }
        return cores;
    }

    /** The short form. */
    static String text(BitSet cores) {
        StringBuilder text = new StringBuilder();
        for (int from = cores.nextSetBit(0); from >= 0; from = cores.nextSetBit(cores.nextClearBit(from))) {
            int to = cores.nextClearBit(from) - 1;
            text.append(text.isEmpty() ? "" : ",").append(from).append(to == from ? "" : "-" + to);
        }
        return text.toString();
    }
}
