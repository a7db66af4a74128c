package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.policy.FifoAgent;
import dev.bascule.policy.RoundRobinAgent;

/** Policies by name. */
final class Policies {
    static final String NAMES = "fifo, round-robin";

    private Policies() {}

    static Agent create(String name, String quantum) {
        return switch (name) {
            case "fifo" -> new FifoAgent();
            case "round-robin" -> new RoundRobinAgent(Durations.parseNanos(quantum));
            default -> throw new IllegalArgumentException("no policy is called '" + name + "'; there are " + NAMES);
        };
    }
}
