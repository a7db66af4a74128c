package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.config.LinkConfig;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Placement;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;

/** Turns a hardware configuration into a loopback SmartNIC and the options of the transports over it. */
public final class LoopbackSetup {
    private LoopbackSetup() {}

    /** Setup of a region by a configuration. */
    public static LinkSetup config(HardwareConfig hardware, long seed, Placement placement, SwapMode mode) {
        LinkProfile link = profile(hardware.link());
        HardwareConfig.Optimisations on = hardware.optimisations();
        WaveOptions wave = new WaveOptions(on.prestage(), on.prefetch(), on.batch(), false, link.msixNanos());
        return new LinkSetup(SmartNicConfig.DEFAULT.withProfile(link).withSeed(seed), wave,
                swap(mode, wave), placement, on.writeCombining(), on.writeThrough());
    }

    private static SwapOptions swap(SwapMode mode, WaveOptions wave) {
        return new SwapOptions(mode, false, wave.prefetch(), wave.interruptNanos(), SwapOptions.PATIENT);
    }

    /** Set-up with another link in place of its own, and with the interrupt latency of that link. */
    public static LinkSetup withLink(LinkSetup setup, LinkProfile link) {
        WaveOptions on = setup.wave();
        WaveOptions wave = new WaveOptions(on.prestage(), on.prefetch(), on.batch(), on.push(), link.msixNanos());
        return new LinkSetup(setup.device().withProfile(link), wave, swap(setup.swap().mode(), wave),
                setup.placement(), setup.writeCombining(), setup.writeThrough());
    }

    private static LinkProfile profile(LinkConfig link) {
        return new LinkProfile(link.mmioReadUc().nanos(), link.mmioReadWc().nanos(), link.mmioReadWt().nanos(),
                link.mmioWrite().nanos(), link.postedWrite().nanos(), link.dmaRead().nanos(), link.dmaWrite().nanos(),
                link.msix().nanos(), link.coherentLine().nanos());
    }
}
