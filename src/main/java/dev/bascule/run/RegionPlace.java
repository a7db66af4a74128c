package dev.bascule.run;

import dev.bascule.host.CardPlace;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.RdmaSetup;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the region of host and agents is; in memory of this machine, if neither is given.
 *
 * @param card in its memory
 * @param rdma a copy on each side
 */
public record RegionPlace(@Nullable CardEnds card, @Nullable RdmaSetup rdma) {
    /** Sessions in this run directory are there. */
    public void assign(Path directory) {
        if (card != null) {
            CardPlace.assign(directory, card.host(), card.agent());
        }
        if (rdma != null) {
            MirrorPlace.assign(directory, rdma);
        }
    }

    /** Whether agents run elsewhere, or could: those beside the host are a reference. */
    public boolean isAway() {
        return card != null || !peers().isEmpty();
    }

    /** Where agents listen that are started by hand. */
    public List<String> peers() {
        return rdma == null ? List.of() : rdma.peers();
    }
}
