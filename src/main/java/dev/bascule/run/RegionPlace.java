package dev.bascule.run;

import dev.bascule.host.CardEnd;
import dev.bascule.host.CardPlace;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.RdmaSetup;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the region of host and agents is; in memory of this machine, if nothing is given.
 *
 * @param host the host's end of a card in whose memory it is
 * @param agent the agent's end of that card, elsewhere if it is not reached from this machine
 * @param rdma a copy on each side
 */
public record RegionPlace(@Nullable CardEnd host, @Nullable CardEnd agent, @Nullable RdmaSetup rdma) {
    /** In memory of this machine. */
    public static final RegionPlace HERE = new RegionPlace(null, null, null);

    /** In a card's memory. */
    public static RegionPlace card(CardEnd host, CardEnd agent) {
        return new RegionPlace(host, agent, null);
    }

    /** Sessions in this run directory are there. */
    public void assign(Path directory) {
        if (host != null && agent != null) {
            CardPlace.assign(directory, host, agent);
        }
        if (rdma != null) {
            MirrorPlace.assign(directory, rdma);
        }
    }

    /** Whether it is in a card's memory. */
    public boolean isCard() {
        return host != null;
    }

    /** Whether agents run elsewhere, or could: those beside the host are a reference. */
    public boolean isAway() {
        return isCard() || !peers().isEmpty();
    }

    /** Value of {@code --device} for an agent on the card's cores; null: it is in no card. */
    public @Nullable String agentDevice() {
        return host == null ? null : host instanceof CardEnd.Function function ? function.config() : "ADDRESS";
    }

    /** Where agents listen that are started by hand. */
    public List<String> peers() {
        return rdma == null ? List.of() : rdma.peers();
    }
}
