package dev.bascule.rdma;

import org.jspecify.annotations.Nullable;

/** Resources of a connection, given back in reverse order. Thread rule: any thread; closes once. */
final class LinkEnds implements AutoCloseable {
    private final Exchange exchange;
    private final RdmaDevice device;
    private final MirrorLink link;
    private final @Nullable BellListener bells;
    private boolean closed;

    LinkEnds(Exchange exchange, RdmaDevice device, MirrorLink link, @Nullable BellListener bells) {
        this.exchange = exchange;
        this.device = device;
        this.link = link;
        this.bells = bells;
        link.onBreak(exchange::close); // whoever waits for the peer's end wakes up
    }

    MirrorLink link() {
        return link;
    }

    Exchange exchange() {
        return exchange;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        link.fail("it was closed here");
        exchange.close();
        if (bells != null) {
            bells.close();
        }
        link.close();
        device.close();
    }
}
