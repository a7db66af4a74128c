package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.rdma.MirrorAgent;
import dev.bascule.rdma.MirrorHost;
import dev.bascule.swap.SwapAgent;
import dev.bascule.swap.SwapHost;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveAgent;
import dev.bascule.wave.WaveHost;
import dev.bascule.wave.WaveOptions;

/** A transport's two ends over a mirrored region. */
sealed interface RdmaEnds {
    /** Instead of a name, for an agent that takes what its host uses. */
    String ANY = MirrorAgent.ANY;

    /** The transport of this name, for an agent: what a host chooses lies in the region. */
    static RdmaEnds of(String name) {
        return switch (name) {
            case WaveSession.NAME -> new Wave(WaveOptions.ALL);
            case SwapSession.NAME -> new Swap(SwapOptions.DEFAULT);
            default -> throw new AgentException("attach over RDMA: the host uses transport " + name
                    + ", which this release does not know; use one release on both sides");
        };
    }

    /** The transport's name. */
    String name();

    /** Sizes that a host needs of each memory. */
    MirrorHost.Sizes sizes(EnclaveShape shape);

    RegionHost host(RegionLinks links, EnclaveShape shape);

    AgentEnd agent(MirrorAgent mirror, int agent);

    /** Threads of a host that look at the agent's copy: each CPU's, and some for housekeeping. */
    private static int threads(EnclaveShape shape) {
        return shape.cpus() + 4;
    }

    /** Wave's queues. */
    record Wave(WaveOptions options) implements RdmaEnds {
        @Override
        public String name() {
            return WaveSession.NAME;
        }

        @Override
        public MirrorHost.Sizes sizes(EnclaveShape shape) {
            return new MirrorHost.Sizes(WaveHost.nicBytes(shape), WaveHost.hostBytes(shape), 0, threads(shape));
        }

        @Override
        public RegionHost host(RegionLinks links, EnclaveShape shape) {
            return WaveHost.open(links, shape, options);
        }

        @Override
        public AgentEnd agent(MirrorAgent mirror, int agent) {
            return WaveAgent.attach(mirror.nicMemory(), mirror.hostMemory(), agent, LocalSession.nonce(),
                    mirror::ring);
        }

    }

    /** The bilateral swap. */
    record Swap(SwapOptions options) implements RdmaEnds {
        /** Refuses the mode that needs coherent memory. */
        public Swap {
            if (options.mode() == SwapMode.ONE_WORD) {
                throw new AgentException("swap mode " + SwapMode.ONE_WORD.text() + " over RDMA: both ends would"
                        + " compare-and-swap one word, but an adapter's atomic operation on it is none against a CPU's;"
                        + " use another mode: --swap-mode swap1");
            }
        }

        @Override
        public String name() {
            return SwapSession.NAME;
        }

        @Override
        public MirrorHost.Sizes sizes(EnclaveShape shape) {
            long shared = SwapHost.sharedHostBytes(shape, options);
            return new MirrorHost.Sizes(SwapHost.nicBytes(shape, options), shared,
                    SwapHost.hostBytes(shape, options) - shared, threads(shape));
        }

        @Override
        public RegionHost host(RegionLinks links, EnclaveShape shape) {
            return SwapHost.open(links, shape, options);
        }

        @Override
        public AgentEnd agent(MirrorAgent mirror, int agent) {
            return SwapAgent.attach(mirror.nicMemory(), mirror.hostMemory(), null, agent, LocalSession.nonce(),
                    mirror::ring);
        }

    }
}
