package dev.bascule.host;

import dev.bascule.rdma.MirrorHost;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a connection that was made in an agent's epoch has been lost. Thread rule: {@link #nextEpoch} from one thread, the
 * rest from any.
 */
final class LinkWatch {
    private final Supplier<@Nullable MirrorHost> host;
    private final int agent;
    private volatile int madeBefore;
    private boolean begun;

    /**
     * @param host the one that is there now
     * @param agent its number
     */
    LinkWatch(Supplier<@Nullable MirrorHost> host, int agent) {
        this.host = host;
        this.agent = agent;
    }

    /** Begins the next epoch: a connection made in a former one may break from now on, and does not count as lost. */
    void nextEpoch() {
        MirrorHost now = host.get();
        madeBefore = begun && now != null ? now.made() : 0;
        begun = true;
    }

    boolean isLost() {
        MirrorHost now = host.get();
        return now != null && now.lost(agent) > madeBefore;
    }

    /** Why the last one was lost; empty if none was. */
    String reason() {
        MirrorHost now = host.get();
        return now == null ? "" : now.lostWhy(agent);
    }
}
