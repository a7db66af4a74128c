package dev.bascule.junit;

import dev.bascule.host.LocalSession;
import dev.bascule.host.SwapSession;
import dev.bascule.host.TransportSession;
import dev.bascule.host.WaveSession;
import dev.bascule.loopback.FaultPlan;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.wave.WaveOptions;
import java.nio.file.Path;

/** Transports between host and agent that a test may run over. */
public enum Transport {
    /** Coherent memory, as in ghOSt: no card, so no faults of a link. */
    ON_HOST(LocalSession.NAME) {
        @Override
        TransportSession open(Path directory, FaultPlan plan, long seed) {
            return new LocalSession(directory, false);
        }
    },
    /** Wave's queues and transactions through a loopback SmartNIC's memory. */
    WAVE(WaveSession.NAME) {
        @Override
        TransportSession open(Path directory, FaultPlan plan, long seed) {
            return new WaveSession(directory, new WaveSession.Setup(device(plan, seed), WaveOptions.ALL, true, true),
                    false);
        }
    },
    /** The bilateral swap through a loopback SmartNIC's memory. */
    SWAP(SwapSession.NAME) {
        @Override
        TransportSession open(Path directory, FaultPlan plan, long seed) {
            return new SwapSession(directory, SwapSession.Setup.DEFAULT.withDevice(device(plan, seed)), false);
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

    abstract TransportSession open(Path directory, FaultPlan plan, long seed);

    private static SmartNicConfig device(FaultPlan plan, long seed) {
        return SmartNicConfig.DEFAULT.withPlan(plan).withSeed(seed);
    }
}
