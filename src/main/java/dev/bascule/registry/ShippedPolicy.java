package dev.bascule.registry;

import dev.bascule.agent.Agent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A policy that ships: its name, its options, and how it is made of them. */
public final class ShippedPolicy {
    private final String name;
    private final String what;
    private final List<PolicyKey> keys;
    private final Function<PolicyOptions, Agent> maker;

    ShippedPolicy(String name, String what, Function<PolicyOptions, Agent> maker, PolicyKey... keys) {
        this.name = name;
        this.what = what;
        this.keys = List.of(keys);
        this.maker = maker;
    }

    /** As in {@code --policy NAME}. */
    public String name() {
        return name;
    }

    /** Description of the policy in one line. */
    public String what() {
        return what;
    }

    /** Options of the policy. */
    public List<PolicyKey> keys() {
        return keys;
    }

    boolean has(String key) {
        return keys.stream().anyMatch(one -> one.name().equals(key));
    }

    /**
     * Makes agents with these options, defaults for the rest.
     *
     * @throws IllegalArgumentException if a key or a value is none
     */
    Supplier<Agent> with(Map<String, String> given) {
        Map<String, String> values = new LinkedHashMap<>();
        keys.forEach(key -> values.put(key.name(), key.value()));
        given.forEach((key, value) -> {
            if (!has(key)) {
                throw new IllegalArgumentException("policy " + name + " has no option '" + key + "'; "
                        + (keys.isEmpty()
                                ? "it has none"
                                : "there are " + keys.stream().map(PolicyKey::toString)
                                        .collect(Collectors.joining(", "))));
            }
            values.put(key, value);
        });
        PolicyOptions options = new PolicyOptions(name, values);
        return () -> maker.apply(options);
    }
}
