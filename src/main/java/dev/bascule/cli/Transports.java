package dev.bascule.cli;

import dev.bascule.host.IvshmemSession;
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

    private Transports() {}

    /** An agent's side. */
    static TransportSession attach(String name, Path directory) {
        return open(name, directory, WaveSession.Setup.DEFAULT, SwapSession.Setup.DEFAULT, false);
    }

    /** A host's side, or an agent's: the setups matter to the host only. */
    static TransportSession open(String name, Path directory, WaveSession.Setup wave, SwapSession.Setup swap,
            boolean keep) {
        return switch (name) {
            case LocalSession.NAME -> KernelSession.isIn(directory)
                    ? KernelSession.ofAgent(directory)
                    : new LocalSession(directory, keep);
            case WaveSession.NAME -> IvshmemSession.isAssigned(directory)
                    ? IvshmemSession.wave(directory, wave.options(), keep, IvshmemSession.VFIO)
                    : new WaveSession(directory, wave, keep);
            case SwapSession.NAME -> IvshmemSession.isAssigned(directory)
                    ? IvshmemSession.swap(directory, swap.options(), keep, IvshmemSession.VFIO)
                    : new SwapSession(directory, swap, keep);
            default -> throw new IllegalArgumentException(
                    "no transport is called '" + name + "'; there are " + String.join(", ", NAMES));
        };
    }
}
