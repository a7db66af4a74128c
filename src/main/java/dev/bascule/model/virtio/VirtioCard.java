package dev.bascule.model.virtio;

import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.WiredCard;
import dev.bascule.model.parts.LockedModel;
import java.util.Arrays;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A virtio network card with a wire, and a thread that takes frames from it. Thread rule: one lock, for all of it. */
public final class VirtioCard extends WiredCard {
    private static final long MAC_ADDRESS = 0x0200_0000_0001L;

    private final Lock busy;
    private final WireEnd.FrameSink arrival = new Arrival();
    private final VirtioNetModel model;

    /** A card whose one port is plugged into the wire, which is closed with it. */
    public VirtioCard(CountedWire wire) {
        this(wire, new VirtioNetModel(MAC_ADDRESS, true), new ReentrantLock());
    }

    private VirtioCard(CountedWire wire, VirtioNetModel model, Lock busy) {
        super(new LockedModel(model, busy), wire);
        this.model = model;
        this.busy = busy;
        model.connectWire(frame -> wire.transmit(frame, 0, frame.length));
    }

    @Override
    protected int work() {
        busy.lock();
        try {
            return arrivals(arrival);
        } finally {
            busy.unlock();
        }
    }

    /** Frames lost so far. */
    @Override
    public Losses losses() {
        busy.lock();
        try {
            return model.losses().plus(lostOnWire());
        } finally {
            busy.unlock();
        }
    }

    private final class Arrival implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            model.receive(Arrays.copyOfRange(data, offset, offset + lengthBytes));
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return model.offer(Arrays.copyOfRange(data, offset, offset + lengthBytes));
        }
    }
}
