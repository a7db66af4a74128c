package dev.bascule.study.sim;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How the load balancer of a {@link SimCluster} chooses a host for a job. */
public enum SimBalance {
    /** Any, each as likely. */
    RANDOM,
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest jobs that it has not answered; of several any. */
    LEAST_LOADED,
    /** The less loaded of two different ones, taken at random (Mitzenmacher, 1996). */
    POWER_OF_TWO;

    /** Names for {@link #named}. */
    public static final List<String> NAMES = Arrays.stream(values()).map(SimBalance::text).toList();

    /** The name that commands take. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The one of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static SimBalance named(String name) {
        return Arrays.stream(values()).filter(one -> one.text().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "balance=" + name + ": there are " + String.join(", ", NAMES)));
    }

    /** Whether it asks how many jobs a host has. */
    boolean looks() {
        return this == LEAST_LOADED || this == POWER_OF_TWO;
    }
}
