package dev.bascule.model.cndm;

import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.WiredCard;
import dev.bascule.model.parts.LockedModel;
import dev.bascule.ring.Clock;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** A cndm card with a wire for each port, and a thread that moves frames. Thread rule: one lock, for all of it. */
public final class CndmCard extends WiredCard {
    static final int WORK = 64;

    private final Lock busy;
    private final CndmDevice device;
    private final List<Arrival> arrivals;

    /** A card whose ports are plugged into the wires, one for each, which are closed with it. */
    public CndmCard(CndmConfig config, List<CountedWire> wires) {
        this(config, wires, Clock.system());
    }

    /** A card in the time of {@code clock}, by which its clock runs and interrupts are spaced. */
    public CndmCard(CndmConfig config, List<CountedWire> wires, Clock clock) {
        this(config, wires, new CndmFunction(config,
                (port, data, lengthBytes) -> wires.get(port).transmit(data, 0, lengthBytes), clock),
                new ReentrantLock());
    }

    private CndmCard(CndmConfig config, List<CountedWire> wires, CndmFunction function, Lock busy) {
        super(new LockedModel(function, busy), wires);
        if (wires.size() != config.ports()) {
            throw new IllegalArgumentException(
                    "cndm: " + wires.size() + " wires for " + config.ports() + " ports; each needs one");
        }
        device = function.device;
        this.busy = busy;
        arrivals = IntStream.range(0, wires.size()).mapToObj(Arrival::new).toList();
    }

    @Override
    protected int work() {
        busy.lock();
        try {
            int done = 0;
            for (Arrival arrival : arrivals) {
                done += arrivals(arrival.port, arrival);
            }
            done += device.work(WORK);
            return done == 0 && device.isWaitingForTime() ? 1 : done;
        } finally {
            busy.unlock();
        }
    }

    /** Frames lost so far, and those that wires refused. */
    @Override
    public Losses losses() {
        busy.lock();
        try {
            return device.losses().plus(lostOnWire());
        } finally {
            busy.unlock();
        }
    }

    private final class Arrival implements WireEnd.FrameSink {
        final int port;

        Arrival(int port) {
            this.port = port;
        }

        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            if (!device.fits(port, lengthBytes)) {
                device.work(WORK); // a burst of the wire is one of this loop only
            }
            device.receive(port, data, offset, lengthBytes);
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            if (!device.hasRoom(port, lengthBytes)) {
                device.work(WORK); // what came before goes on its way
                if (!device.hasRoom(port, lengthBytes)) {
                    return false;
                }
            }
            device.receive(port, data, offset, lengthBytes);
            return true;
        }
    }
}
