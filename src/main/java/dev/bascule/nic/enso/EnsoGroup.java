package dev.bascule.nic.enso;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.Flow;
import dev.bascule.nic.PipeGroup;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The pipes of one thread on an Ensō NIC, with their notification buffer. Thread rule: one thread. */
public final class EnsoGroup implements PipeGroup {
    private static final long WAIT_NANOS = 1_000_000_000L;

    private final EnsoNic nic;
    private final GroupDataPath io;
    private final Map<Integer, List<Flow>> bound = new HashMap<>();
    private final List<EnsoTxPipe> txPipes = new ArrayList<>();
    private @Nullable EnsoRxPipe last;
    private boolean closed;

    EnsoGroup(EnsoNic nic, NotificationBuffer notifications) {
        this.nic = nic;
        this.io = new GroupDataPath(notifications);
    }

    @Override
    public RxPipe openRx() {
        return open(false, false);
    }

    @Override
    public RxPipe openFallbackRx() {
        return open(true, false);
    }

    @Override
    public RxTxPipe openRxTx() {
        return (RxTxPipe) open(false, true);
    }

    @Override
    public RxTxPipe openFallbackRxTx() {
        return (RxTxPipe) open(true, true);
    }

    @Override
    public TxPipe openTx() {
        requireOpen();
        EnsoTxPipe pipe = new EnsoTxPipe(io, txPipes.size(), nic.memory("enso-tx-pipe", true));
        txPipes.add(pipe);
        return pipe;
    }

    private EnsoRxPipe open(boolean fallback, boolean sends) {
        requireOpen();
        io.notifications.arm();
        int id = -1;
        PipeMemory ring = null;
        EnsoRxPipe pipe = null;
        try {
            id = nic.takePipe(fallback);
            ring = nic.memory("enso-pipe-" + id, sends);
            pipe = sends ? new EnsoRxTxPipe(io, id, ring) : new EnsoRxPipe(io, id, ring);
            io.add(pipe);
            nic.enable(id, ring.iova(), io.notifications.id, fallback);
            return pipe;
        } catch (RuntimeException e) {
            giveUp(id, ring, pipe);
            throw e;
        }
    }

    private void giveUp(int id, @Nullable PipeMemory ring, @Nullable EnsoRxPipe pipe) {
        io.notifications.disarm();
        if (pipe != null) {
            io.remove(pipe);
        }
        if (ring != null) {
            ring.close();
        }
        if (id >= 0) {
            nic.givePipe(id);
        }
    }

    @Override
    public void bind(RxPipe pipe, Flow flow) {
        EnsoRxPipe mine = mine(pipe);
        nic.bind(flow, mine.id());
        bound.computeIfAbsent(mine.id(), id -> new ArrayList<>()).add(flow);
    }

    @Override
    public @Nullable RxPipe next() {
        if (last != null) {
            if (last.unconfirmedBytes() > 0) {
                last.announceAgain();
            }
            last = null;
        }
        poll();
        for (EnsoRxPipe pipe = io.nextAnnounced(); pipe != null; pipe = io.nextAnnounced()) {
            pipe.taken();
            if (pipe.unconfirmedBytes() > 0) {
                last = pipe;
                return pipe;
            }
        }
        return null;
    }

    @Override
    public int poll() {
        return io.poll();
    }

    GroupDataPath io() {
        return io;
    }

    @Override
    public void close(RxPipe pipe) {
        EnsoRxPipe mine = mine(pipe);
        if (mine instanceof EnsoRxTxPipe sender) {
            waitFor("send the rest of pipe " + mine.id(), () -> sender.pendingBytes() == 0);
        }
        nic.unsteer(mine.id(), bound.getOrDefault(mine.id(), List.of()));
        bound.remove(mine.id());
        plugAndFree(mine);
    }

    private void plugAndFree(EnsoRxPipe mine) {
        io.settle(); // at most one notification can come now that does not answer a plug
        for (int tail = 0; tail < 2; tail++) {
            mine.await(tail);
            nic.plug(mine.id(), tail);
            waitFor("close pipe " + mine.id(), () -> !mine.isAwaiting());
        }
        if (last == mine) {
            last = null;
        }
        giveUp(mine.id(), mine.ring, mine);
    }

    @Override
    public void close(TxPipe pipe) {
        if (!(pipe instanceof EnsoTxPipe mine) || !txPipes.contains(mine)) {
            throw new IllegalArgumentException("TX pipe " + pipe.id() + " is not an open pipe of this group");
        }
        waitFor("send the rest of TX pipe " + mine.id(), () -> mine.pendingBytes() == 0);
        txPipes.remove(mine);
        mine.ring.close();
    }

    private void waitFor(String step, BooleanSupplier done) {
        Patience patience = new Patience(WAIT_NANOS, nic::nanoTime, () -> 0);
        while (!done.getAsBoolean()) {
            int work = poll();
            if (work == 0 && patience.isOver()) {
                throw new DeviceException(step, "enso", "the device did not answer within " + WAIT_NANOS / 1_000_000
                        + " ms", "reset the device and open it again");
            }
            nic.idle().idle(work);
        }
    }

    /** Notifications taken so far, repeated ones included. */
    long notificationCount() {
        return io.notificationCount();
    }

    /** Requests the device has read so far. */
    long completionCount() {
        return io.completionCount();
    }

    /** Register loads of the data path so far. */
    long registerLoads() {
        return io.notifications.mmioReads();
    }

    /** Notifications for pipes that are not open here. */
    long strayNotifications() {
        return io.strays();
    }

    /** Notifications that cannot be true, because they announce more bytes than there was room for. */
    long refusedNotifications() {
        return io.refused();
    }

    @Override
    public long copiedBytes() {
        return 0;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        for (EnsoTxPipe pipe : List.copyOf(txPipes)) {
            close(pipe);
        }
        for (EnsoRxPipe pipe : openPipes()) {
            close(pipe);
        }
        closed = true;
        io.notifications.close();
        nic.gone(this, io.notifications.id);
    }

    private List<EnsoRxPipe> openPipes() {
        List<EnsoRxPipe> open = new ArrayList<>();
        for (int id = 0; id < EnsoRegisters.PIPES; id++) {
            EnsoRxPipe pipe = io.pipe(id);
            if (pipe != null) {
                open.add(pipe);
            }
        }
        return open;
    }

    /** Gives the memory back without asking the device, which no longer uses the bus. */
    void release() {
        closed = true;
        txPipes.forEach(pipe -> pipe.ring.close());
        for (EnsoRxPipe pipe : openPipes()) {
            pipe.ring.close();
        }
        io.notifications.close();
    }

    private EnsoRxPipe mine(RxPipe pipe) {
        if (!(pipe instanceof EnsoRxPipe mine) || io.pipe(mine.id()) != mine) {
            throw new IllegalArgumentException("pipe " + pipe.id() + " is not an open pipe of this group");
        }
        return mine;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the group is closed");
        }
    }
}
