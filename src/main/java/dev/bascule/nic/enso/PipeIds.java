package dev.bascule.nic.enso;

import dev.bascule.device.DeviceException;
import java.util.BitSet;

/**
 * Gives out numbers of pipes and notification buffers. Fallback pipes are 0, 1, 2, ... as the device wants them; others
 * come from the top downwards, the topmost being kept as the place where packets of closed pipes go. Thread-safe.
 */
final class PipeIds {
    /** Never handed out: flows of closed pipes are steered here and dropped. */
    static final int NOWHERE = EnsoRegisters.PIPES - 1;

    private final BitSet pipes = new BitSet(EnsoRegisters.PIPES);
    private final BitSet buffers = new BitSet(EnsoRegisters.NOTIFICATION_BUFFERS);

    PipeIds() {
        pipes.set(NOWHERE);
    }

    synchronized int takeFallback() {
        return take(pipes, pipes.nextClearBit(0), EnsoRegisters.PIPES, "pipe");
    }

    synchronized int takePipe() {
        return take(pipes, pipes.previousClearBit(NOWHERE), EnsoRegisters.PIPES, "pipe");
    }

    synchronized int takeBuffer() {
        return take(buffers, buffers.nextClearBit(0), EnsoRegisters.NOTIFICATION_BUFFERS, "notification buffer");
    }

    synchronized void givePipe(int pipe) {
        pipes.clear(pipe);
    }

    synchronized void giveBuffer(int buffer) {
        buffers.clear(buffer);
    }

    private static int take(BitSet taken, int free, int limit, String what) {
        if (free < 0 || free >= limit) {
            throw new DeviceException("allocate a " + what, "enso", "all " + limit + " are in use",
                    "close one first");
        }
        taken.set(free);
        return free;
    }
}
