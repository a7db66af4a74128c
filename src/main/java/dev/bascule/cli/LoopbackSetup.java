package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.config.LinkConfig;
import dev.bascule.host.SwapSession;
import dev.bascule.host.WaveSession;
import dev.bascule.loopback.LinkProfile;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.wave.WaveOptions;

/** Turns a hardware configuration into a loopback SmartNIC and the options of the transports over it. */
public final class LoopbackSetup {
    private LoopbackSetup() {}

    /** Setup of a region by a configuration. */
    public static WaveSession.Setup config(HardwareConfig hardware, long seed) {
        LinkProfile link = profile(hardware.link());
        HardwareConfig.Optimisations on = hardware.optimisations();
        WaveOptions options = new WaveOptions(on.prestage(), on.prefetch(), on.batch(), false, link.msixNanos());
        SmartNicConfig device = SmartNicConfig.DEFAULT.withProfile(link).withSeed(seed);
        return new WaveSession.Setup(device, options, on.writeCombining(), on.writeThrough());
    }

    /** Set-up with another link in place of its own, and with the interrupt latency of that link. */
    public static WaveSession.Setup withLink(WaveSession.Setup wave, LinkProfile link) {
        WaveOptions on = wave.options();
        return new WaveSession.Setup(wave.device().withProfile(link),
                new WaveOptions(on.prestage(), on.prefetch(), on.batch(), on.push(), link.msixNanos()),
                wave.writeCombining(), wave.writeThrough(), wave.placement());
    }

    /** The swap over the same link. */
    public static SwapSession.Setup swap(WaveSession.Setup wave, SwapMode mode) {
        SwapOptions options = new SwapOptions(mode, false, wave.options().prefetch(), wave.options().interruptNanos(),
                SwapOptions.PATIENT);
        return new SwapSession.Setup(wave.device(), options, wave.placement(), wave.writeCombining(),
                wave.writeThrough());
    }

    private static LinkProfile profile(LinkConfig link) {
        return new LinkProfile(link.mmioReadUc().nanos(), link.mmioReadWc().nanos(), link.mmioReadWt().nanos(),
                link.mmioWrite().nanos(), link.postedWrite().nanos(), link.dmaRead().nanos(), link.dmaWrite().nanos(),
                link.msix().nanos(), link.coherentLine().nanos());
    }
}
