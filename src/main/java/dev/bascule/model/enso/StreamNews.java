package dev.bascule.model.enso;

import dev.bascule.nic.enso.EnsoFormats;

/** Tells the host what is new of its byte streams, by notifications. */
final class StreamNews {
    private final QueueRegisters pipes;
    private final NotificationManager notifications;
    private final HostPort host;
    private final EnsoMetrics metrics;
    private final RxMeta meta = new RxMeta();
    private final byte[] entry = new byte[EnsoFormats.ENTRY_BYTES];

    StreamNews(QueueRegisters pipes, NotificationManager notifications, HostPort host, EnsoMetrics metrics) {
        this.pipes = pipes;
        this.notifications = notifications;
        this.host = host;
        this.metrics = metrics;
    }

    /** One notification for each store of the head, when there is news. */
    void tell(ByteStream stream) {
        if (!stream.armed || !stream.hasNews()) {
            return;
        }
        meta.pipe = stream.pipe;
        meta.buffer = (int) pipes.address(stream.pipe) & EnsoFormats.BUFFER_ID_MASK;
        meta.headUpdate = false;
        meta.needsNotification = true;
        notifications.place(meta);
        if (!meta.needsNotification) {
            return; // the ring is full; the host is told with the next news
        }
        Bytes.putU64(entry, EnsoFormats.SIGNAL, EnsoFormats.SIGNAL_DATA);
        Bytes.putU64(entry, EnsoFormats.RX_PIPE, stream.pipe);
        Bytes.putU64(entry, EnsoFormats.RX_TAIL, pipes.tail[stream.pipe]);
        Bytes.putU64(entry, EnsoFormats.STREAM_RECEIVED, stream.received);
        Bytes.putU64(entry, EnsoFormats.STREAM_LIMIT, stream.limit);
        Bytes.putU64(entry, EnsoFormats.STREAM_STATE, stream.state);
        metrics.count(EnsoCounter.NOTIFICATIONS);
        if (!host.write(meta.ringAddress + (long) meta.ringTail * EnsoFormats.ENTRY_BYTES, entry, 0, entry.length)) {
            metrics.count(EnsoCounter.DMA_FAULTS);
        }
        host.wrote(EnsoTransfer.NOTIFICATION, entry.length);
        stream.armed = false;
        stream.toldReceived = stream.received;
        stream.toldLimit = stream.limit;
        stream.toldState = stream.state;
    }
}
