package dev.bascule.study.enso;

import dev.bascule.app.enso.Traffic;
import dev.bascule.config.ModelTiming;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoCounter;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.EnsoObserver;
import dev.bascule.model.enso.EnsoTransfer;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import org.jspecify.annotations.Nullable;

/**
 * The Ensō driver on the Ensō model in one thread, so that every run of a scenario is the same. The model works when the
 * bench says so.
 */
final class EnsoBench implements AutoCloseable, EnsoObserver {
    private static final int WORK = 1 << 20;

    private final EnsoDevice model;
    private final LoopbackDevice backing;
    private final EnsoNic nic;
    private final EnsoGroup group;
    private final RxTxPipe pipe;
    private @Nullable PcieCount count;
    private long cycle;
    private long storesBefore;
    private long loadsBefore;

    EnsoBench(boolean perPacket) {
        EnsoConfig config = EnsoConfig.ofRings(8192, 16384).withPerPacketNotification(perPacket);
        model = new EnsoDevice(new EnsoBoard(config.pipeRingFlits(), config.notificationRingEntries(),
                config.inflightEntries(), perPacket), () -> cycle, (frame, length, at) -> {}, ModelTiming.IMMEDIATE,
                this);
        backing = LoopbackDevice.open(model);
        nic = EnsoNic.open(backing, config, work -> work());
        group = nic.openGroup();
        pipe = group.openFallbackRxTx();
    }

    RxTxPipe pipe() {
        return pipe;
    }

    EnsoGroup group() {
        return group;
    }

    void receive(byte[] frame) {
        model.receive(frame, 0, frame.length);
    }

    void work() {
        cycle += 200;
        model.work(WORK);
    }

    long dropped() {
        return model.metrics().get(EnsoCounter.RX_DROPPED_FULL) + model.metrics().get(EnsoCounter.NOTIFICATIONS_LOST);
    }

    /** From now on everything on the link counts. */
    void startCount(PcieLink link) {
        count = new PcieCount(link);
        storesBefore = model.metrics().get(EnsoCounter.MMIO_WRITES);
        loadsBefore = model.metrics().get(EnsoCounter.MMIO_READS);
    }

    /**
     * Ends the count; returns what crossed the link since {@link #startCount}, for {@code packets}. All registers of
     * the data path have 4 bytes.
     */
    PcieCount endCount(long packets) {
        PcieCount result = count;
        if (result == null) {
            throw new IllegalStateException("nothing was counted");
        }
        for (long i = storesBefore; i < model.metrics().get(EnsoCounter.MMIO_WRITES); i++) {
            result.registerStore(Integer.BYTES);
        }
        for (long i = loadsBefore; i < model.metrics().get(EnsoCounter.MMIO_READS); i++) {
            result.registerLoad(Integer.BYTES);
        }
        result.packets(packets);
        count = null;
        return result;
    }

    @Override
    public void written(EnsoTransfer kind, int lengthBytes) {
        PcieCount to = count;
        if (to != null) {
            to.deviceWrites(kind == EnsoTransfer.DATA, lengthBytes);
            to.notifications(kind == EnsoTransfer.DATA ? 0 : 1);
        }
    }

    @Override
    public void read(EnsoTransfer kind, int lengthBytes) {
        PcieCount to = count;
        if (to != null) {
            to.deviceReads(kind == EnsoTransfer.DATA, lengthBytes);
        }
    }

    @Override
    public void close() {
        nic.close();
        backing.close();
    }

    /**
     * Echoes packets, of which {@code batch} arrive while the host works on those before.
     *
     * @return what crossed the link for {@code rounds} batches
     */
    static PcieCount echo(PcieLink link, NotificationMode mode, int lengthBytes, int batch, int rounds) {
        byte[] frame = Traffic.udp(0x0A00_0001, 5000, lengthBytes);
        try (EnsoBench bench = new EnsoBench(mode == NotificationMode.PER_PACKET)) {
            int warmUp = 4;
            for (int i = 0; i < batch; i++) {
                bench.receive(frame);
            }
            for (int i = 0; i < warmUp; i++) {
                bench.round(frame, mode, batch);
            }
            bench.startCount(link);
            long packets = 0;
            for (int i = 0; i < rounds; i++) {
                packets += bench.round(frame, mode, batch);
            }
            if (bench.dropped() != 0) {
                throw new IllegalStateException("the scenario dropped packets; use smaller batches");
            }
            return bench.endCount(packets);
        }
    }

    private long round(byte[] frame, NotificationMode mode, int batch) {
        long bytes = pipe.peek();
        if (mode == NotificationMode.PREFETCH) {
            pipe.prefetch();
            bytes = pipe.peek();
        }
        pipe.confirm(bytes);
        long sent = pipe.sendAndFree(bytes);
        if (sent != bytes) {
            throw new IllegalStateException("no room for requests");
        }
        for (int i = 0; i < batch; i++) {
            receive(frame);
        }
        work();
        while (group.poll() > 0) {
            Thread.onSpinWait();
        }
        return bytes / paddedBytes(frame);
    }

    private static long paddedBytes(byte[] frame) {
        return frame.length + 63 & -64;
    }
}
