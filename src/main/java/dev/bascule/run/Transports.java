package dev.bascule.run;

import dev.bascule.ffi.NearestWord;
import dev.bascule.host.CardSession;
import dev.bascule.host.LocalSession;
import dev.bascule.host.RdmaSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.host.scx.KernelSession;
import java.nio.file.Path;
import java.util.List;

/** Transports by name. */
public final class Transports {
    /** Names of those in this machine. */
    public static final List<String> NAMES = List.of(LocalSession.NAME, WaveSession.NAME, SwapSession.NAME);

    /**
     * Nobody decides but the host: its built-in policy takes the oldest runnable task. That is what delegating is measured
     * against. The host still writes its messages, which nobody reads. Chosen like a transport, to stand beside them.
     */
    public static final String NO_AGENT = "no-agent";

    /** Name of whichever transport the host uses, where an agent can learn that. */
    static final String ANY = "any";

    private Transports() {}

    /** An agent's side; of {@link #ANY}, that of the host that is there. */
    public static TransportSession attach(String name, Path directory) {
        if (name.equals(ANY) && RdmaSession.isAssigned(directory)) {
            return RdmaSession.any(directory);
        }
        String found = name.equals(ANY) ? TransportSession.transportIn(directory) : name;
        return open(found, directory, WaveSession.Setup.DEFAULT, SwapSession.Setup.DEFAULT, false);
    }

    /** A host's side, or an agent's: the setups matter to the host only. */
    public static TransportSession open(String name, Path directory, WaveSession.Setup wave, SwapSession.Setup swap,
            boolean keep) {
        return switch (name) {
            case LocalSession.NAME -> KernelSession.isIn(directory)
                    ? KernelSession.ofAgent(directory)
                    : new LocalSession(directory, keep);
            case WaveSession.NAME -> wave(directory, wave, keep);
            case SwapSession.NAME -> swap(directory, swap, keep);
            default -> throw new IllegalArgumentException(NearestWord.none("transport", name, NAMES));
        };
    }

    private static TransportSession wave(Path directory, WaveSession.Setup setup, boolean keep) {
        if (RdmaSession.isAssigned(directory)) {
            return RdmaSession.wave(directory, setup.options(), keep);
        }
        return CardSession.isAssigned(directory)
                ? CardSession.wave(directory, setup.options(), keep, setup.writeCombining(), HeldDevice.OPENER)
                : new WaveSession(directory, setup, keep);
    }

    private static TransportSession swap(Path directory, SwapSession.Setup setup, boolean keep) {
        if (RdmaSession.isAssigned(directory)) {
            return RdmaSession.swap(directory, setup.options(), keep);
        }
        return CardSession.isAssigned(directory)
                ? CardSession.swap(directory, setup.options(), keep, setup.writeCombining(), HeldDevice.OPENER)
                : new SwapSession(directory, setup, keep);
    }
}
