package dev.bascule.workload.steering;

import dev.bascule.ffi.NearestWord;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How an agent chooses the core of a request: a policy, and what it is told as the request's class. */
public enum Steering {
    /** The core with the fewest requests. */
    LEAST_LOADED("fifo-per-cpu"),
    /** The core that the hash of sender and receiver names, as in receive-side scaling: requests of a flow keep their order. */
    HASH("class-per-cpu"),
    /** The core that the procedure names: short and long ones do not wait for each other. */
    CLASS("class-per-cpu"),
    /** Whichever core is free first, the earliest deadline first. */
    DEADLINE("edf");

    private static final int CLASSES = 256;

    private final String policy;

    Steering(String policy) {
        this.policy = policy;
    }

    /** Name of the policy that ships. */
    public String policy() {
        return policy;
    }

    /** As users write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All words. */
    public static List<String> words() {
        return Arrays.stream(values()).map(Steering::word).toList();
    }

    /**
     * The one of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Steering of(String word) {
        return Arrays.stream(values()).filter(one -> one.word().equals(word)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(NearestWord.none("steering", word, words())));
    }

    /** The class of a request as the agent is told, 0 to 255. */
    int classOf(int flow, int procedure) {
        return (this == HASH ? flow & Integer.MAX_VALUE : procedure) % CLASSES;
    }
}
