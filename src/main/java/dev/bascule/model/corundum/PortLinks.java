package dev.bascule.model.corundum;

import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.ring.Clock;
import java.util.Arrays;
import java.util.List;

/**
 * Wires that the ports are plugged into, and whether each port has a link: the cable is plugged in and the other end is
 * there, and the transceivers have found each other, which after a reset takes a while. Without a link nothing arrives,
 * and what is sent is lost.
 * <p>
 * Thread rule: that of the device.
 */
final class PortLinks {
    private static final int FRAMES = 64;

    private final CorundumDevice device;
    private final List<WireEnd> wires;
    private final Clock clock;
    private final long delayNanos;
    private final Arrival[] arrivals;
    private final boolean[] plugged;
    private final boolean[] up;
    private final long[] noRoom;
    private final long[] noLink;
    private final long[] missed;
    private boolean waiting;
    private long upAtNanos;

    PortLinks(CorundumDevice device, List<WireEnd> wires, Clock clock, long delayNanos) {
        this.device = device;
        this.wires = List.copyOf(wires);
        this.clock = clock;
        this.delayNanos = delayNanos;
        arrivals = new Arrival[wires.size()];
        for (int i = 0; i < arrivals.length; i++) {
            arrivals[i] = new Arrival(i);
        }
        plugged = new boolean[wires.size()];
        Arrays.fill(plugged, true);
        up = new boolean[wires.size()];
        noRoom = new long[wires.size()];
        noLink = new long[wires.size()];
        missed = new long[wires.size()];
        Arrays.fill(up, true);
        reset();
    }

    /** The transceivers begin anew. */
    void reset() {
        waiting = delayNanos != 0;
        upAtNanos = clock.nanoTime() + delayNanos;
        look();
    }

    void plug(int port, boolean in) {
        plugged[port] = in;
        look();
    }

    private void look() {
        if (waiting && clock.nanoTime() - upAtNanos >= 0) {
            waiting = false;
        }
        for (int i = 0; i < up.length; i++) {
            boolean now = !waiting && plugged[i] && wires.get(i).isUp();
            if (now != up[i]) {
                up[i] = now;
                device.setLinkUp(i, now);
            }
        }
    }

    /** Takes a bounded number of frames that have arrived; says how many. */
    int poll() {
        look();
        int done = 0;
        for (int i = 0; i < arrivals.length; i++) {
            done += wires.get(i).poll(arrivals[i], FRAMES);
        }
        return done;
    }

    void transmit(int port, byte[] data, int offset, int lengthBytes) {
        if (!up[port]) {
            noLink[port]++;
        } else if (!wires.get(port).transmit(data, offset, lengthBytes)) {
            noRoom[port]++;
        }
    }

    /** Frames lost before they were received or on their way out, ever. */
    Losses losses() {
        Losses losses = Losses.NONE;
        for (int i = 0; i < up.length; i++) {
            losses = losses.plus("port " + i, "no link", missed[i]).plus("wire of port " + i, "no link", noLink[i])
                    .plus("wire of port " + i, "no room", noRoom[i]);
        }
        return losses;
    }

    void close() {
        wires.forEach(WireEnd::close);
    }

    /** Where frames of a wire come in; the device counts those it has no room for. */
    private final class Arrival implements WireEnd.FrameSink {
        private final int number;

        Arrival(int number) {
            this.number = number;
        }

        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            if (up[number]) {
                device.receive(number, data, offset, lengthBytes);
            } else {
                missed[number]++;
            }
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            if (!up[number]) {
                return false;
            }
            if (!device.hasRoom(number, data, offset, lengthBytes)) {
                device.work(FRAMES); // what came before goes on its way
                if (!device.hasRoom(number, data, offset, lengthBytes)) {
                    return false;
                }
            }
            device.receive(number, data, offset, lengthBytes);
            return true;
        }
    }
}
