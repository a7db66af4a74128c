package dev.bascule.run;

import dev.bascule.host.CardPlace;

/** The two ends of a card's region; the agent's is elsewhere if it is not reached from this machine. */
public record CardEnds(CardPlace host, CardPlace agent) {
    /** Value of {@code --device} for an agent elsewhere. */
    String agentDevice() {
        return host instanceof CardPlace.Function function ? function.config() : "ADDRESS";
    }
}
