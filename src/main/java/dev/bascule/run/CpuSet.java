package dev.bascule.run;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** CPUs as Linux and users write them: {@code 2,3} or {@code 8-15,0}. */
public final class CpuSet {
    private static final int MOST = 8192;
    private static final Pattern PART = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private CpuSet() {}

    /** CPUs of an option, in the order in which they are named; a {@link Misuse} for what is no such list. */
    public static List<Integer> parse(String option, String text) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : text.strip().split(",", -1)) {
            Matcher matcher = PART.matcher(part);
            int first = matcher.matches() ? Integer.parseInt(matcher.group(1)) : MOST;
            int last = first < MOST && matcher.group(2) != null ? Integer.parseInt(matcher.group(2)) : first;
            if (last < first || last >= MOST) {
                throw new Misuse(option + " '" + text + "': write CPUs as numbers and ranges, as 0-3,8");
            }
            for (int cpu = first; cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    /** The short form. */
    public static String text(BitSet cores) {
        StringBuilder text = new StringBuilder();
        for (int from = cores.nextSetBit(0); from >= 0; from = cores.nextSetBit(cores.nextClearBit(from))) {
            int to = cores.nextClearBit(from) - 1;
            text.append(text.isEmpty() ? "" : ",").append(from).append(to == from ? "" : "-" + to);
        }
        return text.toString();
    }
}
