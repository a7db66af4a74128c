package dev.bascule.model.enso;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.WiredCard;
import dev.bascule.ring.Clock;

/** An Ensō device with a wire and a thread that moves its packets. */
public final class EnsoCard extends WiredCard {
    private static final int WORK = 256;

    private final WireEnd.FrameSink arrival = new Arrival();
    private final EnsoDevice device;

    /** A card whose one port is plugged into the wire, which is closed with it. */
    public EnsoCard(CountedWire wire) {
        this(wire, ModelTiming.IMMEDIATE);
    }

    /** A card that answers when {@code timing} says. */
    public EnsoCard(CountedWire wire, ModelTiming timing) {
        this(wire, timing, Clock.system());
    }

    /** A card whose cycles are counted by {@code clock}. */
    public EnsoCard(CountedWire wire, ModelTiming timing, Clock clock) {
        this(wire, new EnsoDevice(EnsoBoard.DEFAULT, CycleClock.ofNanos(clock),
                (frame, lengthBytes, cycle) -> wire.transmit(frame, 0, lengthBytes), timing));
    }

    private EnsoCard(CountedWire wire, EnsoDevice device) {
        super(device, wire);
        this.device = device;
    }

    /** Device of the card, with what its board holds; whether a reset clears that: {@link EnsoDevice#resetBoardToo}. */
    public EnsoDevice device() {
        return device;
    }

    @Override
    protected int work() {
        return arrivals(arrival) + device.work(WORK);
    }

    /** Frames lost so far, once it is plugged in. */
    @Override
    public Losses losses() {
        return device.metrics().losses().plus(lostOnWire());
    }

    /** Notifications lost so far, once it is plugged in. */
    public Losses unannounced() {
        return device.metrics().unannounced();
    }

    private final class Arrival implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            device.receive(data, offset, lengthBytes);
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return device.offer(data, offset, lengthBytes);
        }
    }
}
