package dev.bascule.study.fabric;

/** One direction of a port's link: messages leave in the order in which they come, each as soon as the last has left. */
final class Link {
    private final FabricCosts costs;
    private final long latencyPs;
    private long freeAt;
    private long bytes;

    Link(FabricCosts costs, long latencyPs) {
        this.costs = costs;
        this.latencyPs = latencyPs;
    }

    /** Sends payload that is ready at {@code time}; when its last byte arrives. */
    long send(long time, long payloadBytes) {
        freeAt = Math.max(time, freeAt) + costs.busyPs(payloadBytes);
        bytes += payloadBytes;
        return freeAt + latencyPs;
    }

    /** Payload sent so far. */
    long bytes() {
        return bytes;
    }
}
