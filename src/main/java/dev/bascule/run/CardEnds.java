package dev.bascule.run;

import dev.bascule.host.CardEnd;

/** The two ends of a card's region; the agent's is elsewhere if it is not reached from this machine. */
public record CardEnds(CardEnd host, CardEnd agent) {
    /** Value of {@code --device} for an agent elsewhere. */
    String agentDevice() {
        return host instanceof CardEnd.Function function ? function.config() : "ADDRESS";
    }
}
