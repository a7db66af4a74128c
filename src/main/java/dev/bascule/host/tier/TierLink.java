package dev.bascule.host.tier;

import dev.bascule.agent.TierPolicy;
import dev.bascule.agent.memory.MemoryAgent;
import dev.bascule.agent.memory.PageHostEnd;
import dev.bascule.ffi.NearestWord;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicRegion;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Link that carries batches of pages to a memory agent and decisions back, over the memory that a SmartNIC and its host
 * share: Wave's bulk queues, or the swap.
 * <p>
 * Thread rule: one thread, the host's; an agent in this process has what {@link #agent} gives on a thread of its own.
 */
public sealed interface TierLink extends AutoCloseable permits WaveTierLink, SwapTierLink {
    /** Names of links. */
    static List<String> names() {
        return List.of(WaveTierLink.NAME, SwapTierLink.NAME);
    }

    /**
     * A link of this name.
     *
     * @param directory where another process finds it; null: the agent is in this one
     * @throws IllegalArgumentException if there is no link of this name
     */
    static TierLink open(String name, @Nullable Path directory) {
        require(name);
        SmartNicRegion region = directory == null
                ? SmartNicRegion.inProcess(SmartNicConfig.DEFAULT)
                : SmartNicRegion.create(directory, SmartNicConfig.DEFAULT);
        return name.equals(WaveTierLink.NAME) ? new WaveTierLink(region) : new SwapTierLink(region);
    }

    /** Throws {@link IllegalArgumentException}, which says what links there are, if there is none of this name. */
    static void require(String name) {
        if (!names().contains(name)) {
            throw new IllegalArgumentException(NearestWord.none("link", name, names()));
        }
    }

    /** Name of the link. */
    String name();

    /** All is the host's again; what a former agent writes is not taken any more. For a new agent. */
    void renew();

    /** The host's end, for the agent there is to be now. */
    PageHostEnd end();

    /** Key that an agent of another process needs, for {@link Far}. */
    String key();

    /** Why it cannot go on without {@link #renew}; null if it can. */
    @Nullable
    String trouble();

    /** An agent in this process. */
    MemoryAgent agent(int batches, TierPolicy policy);

    @Override
    void close();

    /** An agent's end in a process of its own. */
    final class Far implements AutoCloseable {
        private final SmartNicRegion region;
        private final MemoryAgent agent;

        /**
         * Joins a host that is at work.
         *
         * @param name of its link
         * @param key as {@link TierLink#key} gave it
         */
        public Far(String name, Path directory, String key, int batches, TierPolicy policy) {
            require(name);
            region = SmartNicRegion.attach(directory, FaultPlan.NONE, 1);
            agent = name.equals(WaveTierLink.NAME)
                    ? WaveTierLink.agent(region, key, batches, policy)
                    : SwapTierLink.agent(region, key, batches, policy);
        }

        /** The agent, for one thread. */
        public MemoryAgent agent() {
            return agent;
        }

        @Override
        public void close() {
            region.close();
        }
    }
}
