package dev.bascule.wave;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostMessages;
import dev.bascule.agent.region.HostThread;
import dev.bascule.agent.region.HostTransport;
import dev.bascule.agent.region.LineOutbox;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;

/**
 * The host's end of Wave's transport. Messages and outcomes are posted into NIC memory (write-combining in the paper),
 * decisions are read from NIC memory (write-through there), and status words lie in host memory.
 */
public final class WaveHost {
    private WaveHost() {}

    private record Transport(WaveLayout layout, WaveOptions options) implements HostTransport {
        @Override
        public HostMessages messages(HostThread own) {
            return new LineOutbox(layout, own, options.batch());
        }

        @Override
        public CpuPort port(int cpu, int epoch, HostThread own) {
            return new WaveCpu(cpu, epoch, own, layout, options);
        }
    }

    /** Opens the host's end; see {@link RegionHost#RegionHost}. */
    public static RegionHost open(RegionLinks links, EnclaveShape shape, WaveOptions options) {
        WaveLayout layout = new WaveLayout(shape);
        return new RegionHost(links, new RegionHeader(RegionHeader.WAVE, shape, options.placement()), layout,
                new Transport(layout, options));
    }

    /** Bytes of NIC memory a region of this shape needs. */
    public static long nicBytes(EnclaveShape shape) {
        return new WaveLayout(shape).nicBytes();
    }

    /** Bytes of host memory a region of this shape needs. */
    public static long hostBytes(EnclaveShape shape) {
        return new WaveLayout(shape).hostBytes();
    }
}
