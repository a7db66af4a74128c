package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/**
 * Gives a notification its slot in the RX ring and moves the ring's tail. On a ring that is full or has no address the
 * tail stays: a packet then loses its notification, while a head update still writes its entry at the unmoved tail.
 */
final class NotificationManager {
    private final QueueRegisters rings;
    private final EnsoMetrics metrics;
    private EnsoBoard board;

    NotificationManager(QueueRegisters rings, EnsoBoard board, EnsoMetrics metrics) {
        this.rings = rings;
        this.board = board;
        this.metrics = metrics;
    }

    void board(EnsoBoard newBoard) {
        board = newBoard;
    }

    void place(RxMeta meta) {
        int ring = meta.buffer;
        int tail = rings.tail[ring] & EnsoFormats.POINTER_MASK;
        meta.ringAddress = rings.address(ring);
        meta.ringTail = tail;
        if (!meta.needsNotification) {
            return;
        }
        if (free(ring) == 0 || meta.ringAddress == 0) {
            metrics.count(EnsoCounter.NOTIFICATIONS_LOST);
            if (meta.ringAddress != 0) {
                metrics.unannounced(meta.pipe);
            }
            meta.needsNotification = meta.headUpdate;
        } else {
            rings.tail[ring] = (tail + 1) & board.notificationMask();
        }
    }

    private int free(int ring) {
        return (rings.head[ring] - (rings.tail[ring] & EnsoFormats.POINTER_MASK) - 1) & board.notificationMask();
    }

    /** Whether a ring is set up, and has room if a notification is needed. */
    boolean hasRoom(int ring, boolean announces) {
        return rings.address(ring) != 0 && (!announces || free(ring) != 0);
    }
}
