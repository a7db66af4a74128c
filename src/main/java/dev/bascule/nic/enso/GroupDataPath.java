package dev.bascule.nic.enso;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data path of a group: notifications in, requests out, heads back. Knows the open pipes by number. One thread, no
 * allocation but when a pipe is added.
 */
final class GroupDataPath {
    private static final int POLL_LIMIT = 64;

    final NotificationBuffer notifications;
    private final Runnable drain = this::deliverAll;
    private final @Nullable EnsoRxPipe[] pipes = new EnsoRxPipe[EnsoRegisters.PIPES];
    private PipeQueue announced = new PipeQueue(8);
    private EnsoRxTxPipe[] toGiveBack = new EnsoRxTxPipe[8];
    private int toGiveBackCount;
    private int openPipes;
    private long notificationCount;
    private long completionCount;
    private long strays;
    private long refused;

    GroupDataPath(NotificationBuffer notifications) {
        this.notifications = notifications;
    }

    void add(EnsoRxPipe pipe) {
        pipes[pipe.id()] = pipe;
        openPipes++;
        announced = announced.atLeast(openPipes);
        if (toGiveBack.length < openPipes) {
            toGiveBack = Arrays.copyOf(toGiveBack, 2 * openPipes);
        }
    }

    void remove(EnsoRxPipe pipe) {
        pipes[pipe.id()] = null;
        openPipes--;
        announced.remove(pipe);
    }

    @Nullable
    EnsoRxPipe pipe(int id) {
        return pipes[id];
    }

    @Nullable
    EnsoRxPipe nextAnnounced() {
        return announced.poll();
    }

    void announce(EnsoRxPipe pipe) {
        announced.add(pipe);
    }

    /** Completions first: giving their bytes back makes the device tell what else arrived. */
    int poll() {
        int completed = reclaim();
        int arrived = 0;
        while (arrived < POLL_LIMIT && notifications.arrived()) {
            deliver();
            arrived++;
        }
        if (arrived > 0) {
            notifications.taken();
        }
        return arrived + completed;
    }

    private int reclaim() {
        int completed = notifications.requests.reclaim(POLL_LIMIT);
        completionCount += completed;
        while (toGiveBackCount > 0) {
            toGiveBack[--toGiveBackCount].giveBackWhatWasRead();
        }
        return completed;
    }

    private void deliverAll() {
        while (notifications.arrived()) {
            deliver();
        }
    }

    private void deliver() {
        int id = notifications.pipe();
        long tail = notifications.tail();
        EnsoRxPipe pipe = pipes[id & EnsoRegisters.PIPES - 1];
        notifications.take();
        notificationCount++;
        if (pipe == null) {
            strays++;
        } else if (!pipe.notified(tail)) {
            refused++;
        }
    }

    /** Takes everything the device has said up to now. */
    void settle() {
        notifications.settle(drain);
    }

    void giveBackLater(EnsoRxTxPipe pipe) {
        toGiveBack[toGiveBackCount++] = pipe;
    }

    void storeHead(int pipe, int headFlits) {
        if (notifications.mustSettle()) {
            settle();
        }
        notifications.storeHead(pipe, headFlits);
    }

    /** Requests for the bytes from {@code position} on and one doorbell; returns how many bytes there was room for. */
    long send(RequestRing.Transmission owner, PipeMemory ring, long position, long lengthBytes) {
        long done = post(owner, ring, position, lengthBytes);
        if (done > 0) {
            commit();
        }
        return done;
    }

    /** Announces everything posted to the device. */
    void commit() {
        notifications.requests.ring();
    }

    /** As {@link #send}, without the doorbell. */
    long post(RequestRing.Transmission owner, PipeMemory ring, long position, long lengthBytes) {
        int room = hasRoom() ? notifications.requests.room() : 0;
        long mask = ring.sizeBytes() - 1;
        long done = 0;
        for (; done < lengthBytes && room > 0; room--) {
            long at = position + done & mask;
            long part = PacketCuts.part(ring.segment(), at, lengthBytes - done);
            notifications.requests.request(owner, ring.iova() + at, part);
            done += part;
        }
        return done;
    }

    /** Whether a request can be posted, after looking for completions where needed. */
    boolean hasRoom() {
        if (notifications.requests.room() == 0) {
            reclaim();
        }
        return notifications.requests.room() > 0;
    }

    long notificationCount() {
        return notificationCount;
    }

    long completionCount() {
        return completionCount;
    }

    long strays() {
        return strays;
    }

    long refused() {
        return refused;
    }
}
