package dev.bascule.host;

import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;

/**
 * How the link between a host and its agents is used, by either protocol over it. The placement decides for both where
 * the agent's lines lie.
 *
 * @param device profile of a loopback link, faults and seed; sizes are chosen to fit
 * @param wave Wave's optimisations
 * @param swap mode of the swap and its bounds
 * @param placement where decisions lie
 * @param writeCombining towards the NIC; off: uncached
 * @param writeThrough from the NIC; off: uncached
 */
public record LinkSetup(SmartNicConfig device, WaveOptions wave, SwapOptions swap, Placement placement,
        boolean writeCombining, boolean writeThrough) {
    /** Everything on, decisions staged ahead and pulled from NIC memory, no injected latency, no faults. */
    public static final LinkSetup DEFAULT = new LinkSetup(SmartNicConfig.DEFAULT, WaveOptions.ALL, SwapOptions.DEFAULT,
            Placement.PULL, true, true);

    /** Lets the placement decide where lines lie. */
    public LinkSetup {
        wave = wave.withPush(placement == Placement.PUSH);
        swap = swap.withPush(placement == Placement.PUSH);
    }

    /** This setup over another device. */
    public LinkSetup withDevice(SmartNicConfig other) {
        return new LinkSetup(other, wave, swap, placement, writeCombining, writeThrough);
    }

    /** This setup with other options of Wave. */
    public LinkSetup with(WaveOptions options) {
        return new LinkSetup(device, options, swap, placement, writeCombining, writeThrough);
    }

    /** This setup with other options of the swap. */
    public LinkSetup with(SwapOptions options) {
        return new LinkSetup(device, wave, options, placement, writeCombining, writeThrough);
    }

    /** This setup with another placement. */
    public LinkSetup withPlacement(Placement where) {
        return new LinkSetup(device, wave, swap, where, writeCombining, writeThrough);
    }

    /**
     * This setup with another mode of the swap. The one-word mode needs coherent memory, or host memory by AtomicOps; it
     * takes coherent memory in place of the NIC's.
     */
    public LinkSetup withMode(SwapMode mode) {
        return new LinkSetup(device, wave, swap.withMode(mode),
                mode == SwapMode.ONE_WORD && placement == Placement.PULL ? Placement.COHERENT : placement,
                writeCombining, writeThrough);
    }
}
