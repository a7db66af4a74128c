package dev.bascule.cli;

import dev.bascule.host.CardSession;
import dev.bascule.host.LocalSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.host.scx.KernelSession;
import java.nio.file.Path;
import java.util.List;

/** Transports by name. */
final class Transports {
    static final List<String> NAMES = List.of(LocalSession.NAME, WaveSession.NAME, SwapSession.NAME);

    /**
     * Nobody decides but the host: its built-in policy takes the oldest runnable task. That is what delegating is measured
     * against. The host still writes its messages, which nobody reads. Chosen like a transport, to stand beside them.
     */
    static final String NO_AGENT = "no-agent";

    /** Whatever the host's is. */
    static final String ANY = "any";

    private Transports() {}

    /** An agent's side; of {@link #ANY}, that of the host that is there. */
    static TransportSession attach(String name, Path directory) {
        String found = name.equals(ANY) ? TransportSession.transportIn(directory) : name;
        return open(found, directory, WaveSession.Setup.DEFAULT, SwapSession.Setup.DEFAULT, false);
    }

    /** A host's side, or an agent's: the setups matter to the host only. */
    static TransportSession open(String name, Path directory, WaveSession.Setup wave, SwapSession.Setup swap,
            boolean keep) {
        return switch (name) {
            case LocalSession.NAME -> KernelSession.isIn(directory)
                    ? KernelSession.ofAgent(directory)
                    : new LocalSession(directory, keep);
            case WaveSession.NAME -> CardSession.isAssigned(directory)
                    ? CardSession.wave(directory, wave.options(), keep, wave.writeCombining(), HeldDevice::open)
                    : new WaveSession(directory, wave, keep);
            case SwapSession.NAME -> CardSession.isAssigned(directory)
                    ? CardSession.swap(directory, swap.options(), keep, swap.writeCombining(), HeldDevice::open)
                    : new SwapSession(directory, swap, keep);
            default -> throw new IllegalArgumentException(
                    "no transport is called '" + name + "'; there are " + String.join(", ", NAMES));
        };
    }
}
