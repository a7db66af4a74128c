package dev.bascule.run;

import dev.bascule.ffi.NearestWord;
import dev.bascule.host.CardPlace;
import dev.bascule.host.FilePlace;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.LoopbackPlace;
import dev.bascule.host.MirrorPlace;
import dev.bascule.host.Place;
import dev.bascule.host.Session;
import dev.bascule.host.scx.KernelPlace;
import dev.bascule.local.LocalProtocol;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.List;

/** Transports by name. */
public final class Transports {
    /** Names of those in this machine. */
    public static final List<String> NAMES = List.of(LocalProtocol.NAME, WaveProtocol.NAME, SwapProtocol.NAME);

    /**
     * Nobody decides but the host: its built-in policy takes the oldest runnable task. That is what delegating is measured
     * against. The host still writes its messages, which nobody reads. Chosen like a transport, to stand beside them.
     */
    public static final String NO_AGENT = "no-agent";

    /** Name of whichever transport the host uses, where an agent can learn that. */
    static final String ANY = "any";

    private Transports() {}

    /** An agent's side; of {@link #ANY}, that of the host that is there. */
    public static Session attach(String name, Path directory) {
        if (name.equals(ANY) && MirrorPlace.isAssigned(directory)) {
            return Session.any(new MirrorPlace(directory, false));
        }
        return open(name.equals(ANY) ? Session.transportIn(directory) : name, directory, LinkSetup.DEFAULT, false);
    }

    /** A host's side, or an agent's: the setup matters to the host only. */
    public static Session open(String name, Path directory, LinkSetup link, boolean keep) {
        return switch (name) {
            case LocalProtocol.NAME -> new Session(new LocalProtocol(), KernelPlace.isIn(directory)
                    ? KernelPlace.ofAgent(directory)
                    : new FilePlace(directory, keep));
            case WaveProtocol.NAME -> new Session(new WaveProtocol(link.wave()), linked(directory, link, keep));
            case SwapProtocol.NAME -> new Session(new SwapProtocol(link.swap()), linked(directory, link, keep));
            default -> throw new IllegalArgumentException(NearestWord.none("transport", name, NAMES));
        };
    }

    private static Place linked(Path directory, LinkSetup link, boolean keep) {
        if (MirrorPlace.isAssigned(directory)) {
            return new MirrorPlace(directory, keep);
        }
        return CardPlace.isAssigned(directory)
                ? new CardPlace(directory, keep, link.writeCombining(), HeldDevice.OPENER)
                : new LoopbackPlace(directory, link, keep);
    }
}
