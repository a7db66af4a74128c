package dev.bascule.cli;

import dev.bascule.workload.RequestKind;
import dev.bascule.workload.ServiceMix;
import java.util.List;
import java.util.Map;

/**
 * What the agent is told of a request besides its class, by class: the priority that the user gave the class, and what
 * follows from its service time.
 */
final class RequestHints {
    /** A request is due so many times its service time after it was meant to arrive, as in the simulator. */
    static final long DEADLINE_FACTOR = 10;

    private final int[] nice;
    private final long[] expectedNanos;

    RequestHints(ServiceMix mix, Map<String, Integer> nices) {
        List<RequestKind> kinds = mix.kinds();
        nice = kinds.stream().mapToInt(kind -> nices.getOrDefault(kind.name(), 0)).toArray();
        expectedNanos = kinds.stream().mapToLong(RequestKind::serviceNanos).toArray();
    }

    int nice(int kind) {
        return nice[kind];
    }

    long expectedNanos(int kind) {
        return expectedNanos[kind];
    }

    long deadlineNanos(int kind, long intendedNanos) {
        return intendedNanos + DEADLINE_FACTOR * expectedNanos[kind];
    }

    /** Refuses classes that the workload has not, and levels that are none. */
    static Map<String, Integer> checked(Map<String, Integer> nices, List<String> classes) {
        nices.forEach((name, level) -> {
            if (!classes.contains(name)) {
                throw new Failure("--nice " + name + "=" + level + ": the workload has no class '" + name
                        + "'; there are " + String.join(", ", classes));
            }
            if (level < -20 || level > 19) {
                throw new Failure("--nice " + name + "=" + level + ": a priority is -20 (first) to 19");
            }
        });
        return nices;
    }
}
