package dev.bascule.junit;

import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.local.LocalProtocol;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;

/** Transports between host and agent that a test may run over. */
public enum Transport {
    /** Coherent memory, as in ghOSt: no card, so no faults of a link. */
    ON_HOST(LocalProtocol.NAME) {
        @Override
        Session open(Path directory, FaultPlan plan, long seed) {
            return Session.onHost(directory, false);
        }
    },
    /** Wave's queues and transactions through a loopback SmartNIC's memory. */
    WAVE(WaveProtocol.NAME) {
        @Override
        Session open(Path directory, FaultPlan plan, long seed) {
            return Session.wave(directory, link(plan, seed), false);
        }
    },
    /** The bilateral swap through a loopback SmartNIC's memory. */
    SWAP(SwapProtocol.NAME) {
        @Override
        Session open(Path directory, FaultPlan plan, long seed) {
            return Session.swap(directory, link(plan, seed), false);
        }
    };

    private final String text;

    Transport(String text) {
        this.text = text;
    }

    /** The name as in {@code --transport}. */
    public String text() {
        return text;
    }

    abstract Session open(Path directory, FaultPlan plan, long seed);

    private static LinkSetup link(FaultPlan plan, long seed) {
        return LinkSetup.DEFAULT.withDevice(SmartNicConfig.DEFAULT.withPlan(plan).withSeed(seed));
    }
}
