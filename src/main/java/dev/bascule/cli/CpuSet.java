package dev.bascule.cli;

import java.util.ArrayList;
import java.util.List;

/** CPUs as users and the kernel write them: {@code 0-3,8}. */
final class CpuSet {
    private static final int MOST = 8192;

    private CpuSet() {}

    /**
     * The CPUs, in the order in which they are named.
     *
     * @throws IllegalArgumentException if that is no such list
     */
    static List<Integer> parse(String text) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : text.strip().split(",")) {
            String[] ends = part.split("-", 2);
            try {
                int first = Integer.parseInt(ends[0]);
                int last = Integer.parseInt(ends[ends.length - 1]);
                if (first < 0 || last < first || last >= MOST) {
                    throw refusal(text);
                }
                for (int cpu = first; cpu <= last; cpu++) {
                    cpus.add(cpu);
                }
            } catch (NumberFormatException e) {
                throw refusal(text);
            }
        }
        return cpus;
    }

    private static IllegalArgumentException refusal(String text) {
        return new IllegalArgumentException("'" + text + "' names no CPUs; write numbers and ranges, as 0-3,8");
    }
}
