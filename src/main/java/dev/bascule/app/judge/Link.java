package dev.bascule.app.judge;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Two ports, opened: what near sends arrives at far, which may be the same port. Closed with their cards.
 *
 * @param peer the far port's card if it is another one
 * @param ringEntries that were asked for
 */
record Link(NicAdapter card, @Nullable NicAdapter peer, Nic near, Nic far, int ringEntries) implements AutoCloseable {
    private static final long FREE_NANOS = 2_000_000_000L;
    private static final long LOOK_NANOS = 20_000_000;

    /** Opens both, stopped. {@code farPort} may be {@code plan.port()}: then it is one port, with {@code near}'s options. */
    static Link open(JudgePlan plan, int farPort, NicOptions near, NicOptions far) {
        NicAdapter card = whenFree(plan.card());
        NicAdapter peer = null;
        try {
            peer = plan.peer() == null ? null : whenFree(plan.peer());
            Nic sender = card.openPort(plan.port(), near);
            Nic receiver = peer != null
                    ? peer.openPort(farPort, far)
                    : farPort == plan.port() ? sender : card.openPort(farPort, far);
            return new Link(card, peer, sender, receiver, Math.min(near.ringEntries(), far.ringEntries()));
        } catch (RuntimeException e) {
            closeAll(card, peer);
            throw e;
        }
    }

    /** Opens a card, which its server may take for in use until it has seen that the one before has gone. */
    private static NicAdapter whenFree(Supplier<NicAdapter> card) {
        Patience patience = new Patience(FREE_NANOS);
        while (true) {
            try {
                return card.get();
            } catch (DeviceException inUse) {
                if (patience.isOver()) {
                    throw inUse;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** The card that receives. */
    NicAdapter farCard() {
        return peer == null ? card : peer;
    }

    boolean isOnePort() {
        return near.equals(far);
    }

    List<Nic> ports() {
        return isOnePort() ? List.of(near) : List.of(near, far);
    }

    void start(JudgePlan plan) {
        far.start();
        near.start();
        plan.links().accept(ports());
    }

    /** Counters of the far port that tell of lost frames and are not 0. */
    Map<String, Long> losses() {
        return losses(Map.of(), far.statistics());
    }

    /** Text of counters, as {@code rx_ran_dry 1, rx_errors 2}. */
    static String text(Map<String, Long> counters) {
        return counters.entrySet().stream().map(one -> one.getKey() + " " + one.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Counters of received frames that tell of loss and have risen. */
    static Map<String, Long> losses(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> risen = new TreeMap<>();
        after.forEach((name, value) -> {
            long by = value - before.getOrDefault(name, 0L);
            if (by > 0
                    && name.matches("(rx|device)_.*(err|drop|lost|loss|miss|dry|no_room|no_desc|too_long|full|fail).*")
                    && !name.startsWith("rx_queue_")) {
                risen.put(name, by);
            }
        });
        return risen;
    }

    @Override
    public void close() {
        closeAll(card, peer);
    }

    private static void closeAll(NicAdapter card, @Nullable NicAdapter peer) {
        try {
            card.close();
        } finally {
            if (peer != null) {
                peer.close();
            }
        }
    }
}
