package dev.bascule.run;

import dev.bascule.workload.RequestKind;
import dev.bascule.workload.ServiceMix;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hints that the agent gets about a request besides its class, by class: priority and CPUs that the user gave the
 * class, and what follows from its service time.
 */
public final class RequestHints {
    /** A request is due so many times its service time after it was meant to arrive, as in the simulator. */
    static final long DEADLINE_FACTOR = 10;

    private final int[] nice;
    private final long[] expectedNanos;
    private final long[] cpus;

    /** With what the user gave to classes, by name. */
    RequestHints(ServiceMix mix, Map<String, Integer> nices, Map<String, Long> masks) {
        List<RequestKind> kinds = mix.kinds();
        nice = kinds.stream().mapToInt(kind -> nices.getOrDefault(kind.name(), 0)).toArray();
        cpus = kinds.stream().mapToLong(kind -> masks.getOrDefault(kind.name(), -1L)).toArray();
        expectedNanos = kinds.stream().mapToLong(RequestKind::serviceNanos).toArray();
    }

    int nice(int kind) {
        return nice[kind];
    }

    long cpus(int kind) {
        return cpus[kind];
    }

    long expectedNanos(int kind) {
        return expectedNanos[kind];
    }

    long deadlineNanos(int kind, long intendedNanos) {
        return intendedNanos + DEADLINE_FACTOR * expectedNanos[kind];
    }

    /** CPUs of classes, as 0-1 or 0,2, as masks; refuses classes that the workload has not, and CPUs that are none. */
    public static Map<String, Long> masks(Map<String, String> lists, List<String> classes, int cpus) {
        Map<String, Long> masks = new LinkedHashMap<>();
        lists.forEach((name, list) -> {
            String option = "--affinity " + name + "=" + list;
            if (!classes.contains(name)) {
                throw new Misuse(option + ": the workload has no class '" + name + "'; there are "
                        + String.join(", ", classes));
            }
            masks.put(name, mask(option, list, cpus));
        });
        return masks;
    }

    private static long mask(String option, String list, int cpus) {
        long mask = 0;
        for (String part : list.split(",", -1)) {
            if (!part.matches("\\d{1,2}(-\\d{1,2})?")) {
                throw new Misuse(option + ": CPUs are numbers and ranges, as 0-1 or 0,2");
            }
            int first = Integer.parseInt(part.replaceAll("-.*", ""));
            int last = Integer.parseInt(part.replaceAll(".*-", ""));
            if (last >= Math.min(cpus, Long.SIZE) || first > last) {
                throw new Misuse(option + ": CPUs are 0 to " + (Math.min(cpus, Long.SIZE) - 1)
                        + ", and --cpus says how many");
            }
            for (int cpu = first; cpu <= last; cpu++) {
                mask |= 1L << cpu;
            }
        }
        return mask;
    }

    /** Refuses classes that the workload has not, and levels that are none. */
    public static Map<String, Integer> checked(Map<String, Integer> nices, List<String> classes) {
        nices.forEach((name, level) -> {
            if (!classes.contains(name)) {
                throw new Misuse("--nice " + name + "=" + level + ": the workload has no class '" + name
                        + "'; there are " + String.join(", ", classes));
            }
        });
        return nices;
    }
}
