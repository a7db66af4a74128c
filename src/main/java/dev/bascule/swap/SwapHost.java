package dev.bascule.swap;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostMessages;
import dev.bascule.agent.region.HostThread;
import dev.bascule.agent.region.HostTransport;
import dev.bascule.agent.region.LineOutbox;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.ring.Clock;

/**
 * The host's end of the bilateral swap as a transport: one cell a CPU decides by ownership exchange, and messages and
 * status words travel as Wave's do. What the calls of {@link CpuPort} are here: {@code want} makes the offer,
 * {@code poll} commits the exchange that the agent promised, {@code settle} says in the next host line what became of
 * the decision, {@code abandon} reverses, {@code open} fences. The host checks each decision against its task table, as
 * over every transport.
 */
public final class SwapHost {
    private SwapHost() {}

    private static final class Transport implements HostTransport {
        private final SwapLayout layout;
        private final SwapOptions options;
        private final RegionHeader header;
        private final SwapLedger ledger;
        private final Clock clock;
        private boolean former;

        Transport(SwapLayout layout, SwapOptions options, RegionHeader header, SwapLedger ledger, Clock clock) {
            this.layout = layout;
            this.options = options;
            this.header = header;
            this.ledger = ledger;
            this.clock = clock;
        }

        @Override
        public HostMessages messages(HostThread own) {
            return new LineOutbox(layout, own, true);
        }

        /** The control word's, or a higher one that a record names: the former host may have died between records. */
        @Override
        public int lastEpoch(RegionLinks links, int agent) {
            former = header.isOn(links.fromNic(), RegionLayout.HEADER);
            int last = former ? HostTransport.super.lastEpoch(links, agent) : 0;
            if (former && options.mode() != SwapMode.ONE_WORD) {
                for (int cpu : layout.shape().cpusOf(agent)) {
                    last = Math.max(last, CellRecord.over(links.hostMemory(), layout.record(cpu)).lastEpoch(cpu));
                }
            }
            return last;
        }

        @Override
        public CpuPort port(int cpu, int epoch, HostThread own) {
            return new SwapCpu(cpu, epoch, own, layout, options, ledger, clock, former);
        }
    }

    /**
     * Opens the host's end over {@code links}, of which the last pages of host memory are the host's alone; see
     * {@link RegionHost#RegionHost}.
     *
     * @throws dev.bascule.agent.DamagedRegionException if what is there is of another version, shape or mode
     */
    public static RegionHost open(RegionLinks links, EnclaveShape shape, SwapOptions options) {
        return open(links, shape, options, Clock.system());
    }

    /** The host's end on another clock, for virtual time. */
    public static RegionHost open(RegionLinks links, EnclaveShape shape, SwapOptions options, Clock clock) {
        return open(links, shape, options, SwapLedger.OFF, clock);
    }

    static RegionHost open(RegionLinks links, EnclaveShape shape, SwapOptions options, SwapLedger ledger, Clock clock) {
        SwapLayout layout = new SwapLayout(shape, options.mode());
        if (options.mode() == SwapMode.ONE_WORD) {
            layout.requireAtomics(links, options.push());
        }
        RegionHeader header = new RegionHeader(RegionHeader.SWAP, shape, options.placement());
        return new RegionHost(links, header, layout, new Transport(layout, options, header, ledger, clock));
    }

    /** Bytes of NIC memory a region needs. */
    public static long nicBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).nicBytes();
    }

    /** Bytes of host memory a region needs. */
    public static long hostBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).hostBytes();
    }

    /** Bytes of host memory, from its start, that the NIC has to reach; what is behind them is the host's alone. */
    public static long sharedHostBytes(EnclaveShape shape, SwapOptions options) {
        return new SwapLayout(shape, options.mode()).hostPrivate();
    }
}
