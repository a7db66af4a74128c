package dev.bascule.vfiouser;

import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds connections until their first message has arrived as a whole, so that a silent one delays no other:
 * each has a second for it, and a further second while another client has the device. So many wait and no more; for one
 * that comes then, the oldest of those that said nothing goes.
 * <p>
 * Thread rule: one thread; {@link #stop} from any.
 */
final class Reception implements AutoCloseable {
    private static final int PLACES = 16;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_MILLIS = 1;
    /** A first message beyond that is taken for whole, and read by who serves it. */
    private static final int LONGEST_BYTES = 1 << 16;

    /** Turns a connection away, and closes it; {@code spoke} says whether its first message is there. */
    interface Farewell {
        void turnAway(UnixSocket socket, boolean spoke);
    }

    private static final class Guest {
        final UnixSocket socket;
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        boolean spoke;
        boolean left;

        Guest(UnixSocket socket) {
            this.socket = socket;
        }
    }

    private final UnixListener listener;
    private final Farewell farewell;
    private final List<Guest> guests = new ArrayList<>();
    private final MemorySegment ahead = Arena.ofAuto().allocate(LONGEST_BYTES, 8);

    Reception(UnixListener listener, Farewell farewell) {
        this.listener = listener;
        this.farewell = farewell;
    }

    /** How many wait. */
    int waiting() {
        return guests.size();
    }

    /**
     * Waits for connections, a little while, and looks after those that are there.
     *
     * @param free whether the next one can be served
     * @return one whose first message is there, or null
     */
    @Nullable
    UnixSocket next(BooleanSupplier free) {
        UnixSocket come = listener.accept(guests.isEmpty() ? -1 : LOOK_MILLIS);
        if (come != null) {
            makeRoom();
            guests.add(new Guest(come));
        }
        for (Guest guest : List.copyOf(guests)) {
            look(guest);
            if (guest.left) {
                guests.remove(guest);
                guest.socket.close();
            } else if (guest.spoke && free.getAsBoolean()) {
                guests.remove(guest);
                return guest.socket;
            } else if (System.nanoTime() - guest.deadline >= 0) {
                turnAway(guest);
            }
        }
        return null;
    }

    private void makeRoom() {
        if (guests.size() < PLACES) {
            return;
        }
        for (Guest guest : guests) {
            if (!guest.spoke) {
                turnAway(guest);
                return;
            }
        }
        turnAway(guests.getFirst());
    }

    private void turnAway(Guest guest) {
        guests.remove(guest);
        farewell.turnAway(guest.socket, guest.spoke);
    }

    private void look(Guest guest) {
        if (guest.spoke) {
            return;
        }
        try {
            int bytes = guest.socket.peek(ahead);
            guest.left = bytes == 0;
            guest.spoke = bytes >= Protocol.HEADER_BYTES && bytes >= Math.min(LONGEST_BYTES,
                    Integer.toUnsignedLong(Fields.get32(ahead, Protocol.SIZE)));
        } catch (NativeException e) { // reset by the peer
            guest.left = true;
        }
        if (guest.spoke) {
            guest.deadline = System.nanoTime() + PATIENCE_NANOS;
        }
    }

    /** No more connections come. */
    void stop() {
        listener.close();
    }

    @Override
    public void close() {
        stop();
        guests.forEach(guest -> guest.socket.close());
        guests.clear();
    }
}
