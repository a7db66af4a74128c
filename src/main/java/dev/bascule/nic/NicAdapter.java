package dev.bascule.nic;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceRemovedException;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * A network card under its driver: its ports and its clock. {@link Nics#open} makes one.
 * <p>
 * Thread rule: control path, one owner. Errors: as for {@link Nic}.
 */
public interface NicAdapter extends AutoCloseable {
    /** The card, for messages. */
    String name();

    /** Ports it has. */
    int ports();

    /**
     * Opens a port and its queues, stopped. Closed with the adapter at the latest.
     *
     * @throws IndexOutOfBoundsException if the card has no such port
     * @throws dev.bascule.device.DeviceException if the port is open already, or has no such number of queues
     */
    Nic openPort(int port, NicOptions options);

    /** Checks that the card still answers; {@link dev.bascule.device.DeviceRemovedException} if not. */
    void check();

    /** The card's time now, ns since its epoch, on which packets are stamped; empty for a card without a clock. */
    OptionalLong clockNanos();

    /**
     * Sets the card's time to {@code nanos} since its epoch, and returns once it shows it.
     *
     * @throws UnsupportedOperationException for a card whose clock cannot be set, or that has none
     */
    default void setClockNanos(long nanos) {
        throw new UnsupportedOperationException(name() + " has no clock that can be set");
    }

    /** Closes all ports, takes the bus away from the card, and closes the backing. Twice is harmless. */
    @Override
    void close();

    /**
     * For drivers: a card that is one port and has no clock.
     *
     * @param backing the card, which is closed with the adapter
     * @param port opens the port
     */
    static NicAdapter ofOnePort(DeviceBacking backing, Function<NicOptions, Nic> port) {
        return new OnePortAdapter(backing, port);
    }

    /**
     * For drivers: a card that is one port with one ring of descriptors each way.
     *
     * @param kind of card, for messages
     * @param backing the card, which is closed with the adapter
     * @param card takes it over, with rings of the length that the options wish
     */
    static NicAdapter ofRings(String kind, DeviceBacking backing, Function<NicOptions, RingCard> card) {
        return ofOnePort(backing, options -> RingNic.open(kind, backing, card, options));
    }

    /**
     * For drivers: a card of several ports, each with one ring of descriptors each way.
     *
     * @param kind of card, for messages
     * @param backing the card, which is closed with the adapter
     */
    static NicAdapter ofRings(String kind, DeviceBacking backing, RingPorts ports) {
        return new RingAdapter(kind, backing, ports);
    }

    /**
     * For drivers: closes ports, each though another fails, takes the bus away from the card and closes its backing. A card
     * that is gone is closed all the same: nothing can be told to it, and memory is given back.
     *
     * @throws dev.bascule.device.DeviceException what failed first, at the end
     */
    static void closeAll(Iterable<? extends Nic> ports, DeviceBacking backing) {
        DeviceException failed = null;
        for (Nic port : ports) {
            try {
                port.close();
            } catch (DeviceRemovedException gone) {
                // see above
            } catch (DeviceException e) {
                failed = failed == null ? e : failed;
            }
        }
        try {
            backing.setBusMaster(false);
        } catch (DeviceRemovedException gone) {
            // see above
        } finally {
            backing.close();
        }
        if (failed != null) {
            throw failed;
        }
    }
}
