package dev.bascule.study.enso;

import dev.bascule.app.enso.Traffic;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumObserver;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The Corundum driver on the Corundum model in one thread; the model works when the bench says so. */
final class CorundumBench implements AutoCloseable, CorundumObserver, WireEnd {
    private static final int RING = 2048;

    private final CorundumModel model;
    private final CountingModel counted;
    private final LoopbackDevice backing;
    private final CorundumAdapter adapter;
    private final CorundumNic nic;
    private final ArrayDeque<byte[]> arriving = new ArrayDeque<>();
    private @Nullable PcieCount count;
    private boolean closing;

    CorundumBench() {
        CorundumConfig config = CorundumConfig.builder().ports(1).schedulers(1).build();
        model = new CorundumModel(config, List.of(this), false, this);
        counted = new CountingModel(model);
        backing = LoopbackDevice.open(counted);
        adapter = CorundumAdapter.open(backing);
        nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        work();
    }

    CorundumNic nic() {
        return nic;
    }

    void receive(byte[] frame) {
        arriving.add(frame);
    }

    void work() {
        while (model.poll() != 0) {
            Thread.onSpinWait();
        }
    }

    void startCount(PcieLink link) {
        count = new PcieCount(link);
        counted.count(count);
    }

    PcieCount endCount(long packets) {
        PcieCount result = count;
        if (result == null) {
            throw new IllegalStateException("nothing was counted");
        }
        counted.count(null);
        count = null;
        result.packets(packets);
        return result;
    }

    /** Echoes packets in bursts and counts what crosses the link for {@code rounds} of them. */
    static PcieCount echo(PcieLink link, int lengthBytes, int burst, int rounds) {
        byte[] frame = Traffic.udp(0x0A00_0001, 5000, lengthBytes);
        try (CorundumBench bench = new CorundumBench()) {
            PacketBatch batch = new PacketBatch(burst);
            for (int i = 0; i < 8; i++) {
                bench.round(frame, batch);
            }
            bench.startCount(link);
            long packets = 0;
            for (int i = 0; i < rounds; i++) {
                packets += bench.round(frame, batch);
            }
            return bench.endCount(packets);
        }
    }

    private long round(byte[] frame, PacketBatch batch) {
        for (int i = 0; i < batch.capacity(); i++) {
            receive(frame);
        }
        work();
        int packets = nic.rxQueue(0).poll(batch);
        if (nic.txQueue(0).write(batch) != packets) {
            throw new IllegalStateException("no room in the transmit queue, or refused: "
                    + nic.txQueue(0).refused().total());
        }
        nic.txQueue(0).commit();
        work();
        return packets;
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int done = 0;
        while (done < budget && !arriving.isEmpty()) {
            byte[] frame = arriving.remove();
            sink.frame(frame, 0, frame.length);
            done++;
        }
        return done;
    }

    @Override
    public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
        if (count != null) {
            count.deviceReads(false, lengthBytes);
        }
    }

    @Override
    public void dataRead(int queue, long address, int lengthBytes, long cause) {
        if (count != null) {
            count.deviceReads(true, lengthBytes);
        }
    }

    @Override
    public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
        if (count != null) {
            count.deviceWrites(true, lengthBytes);
        }
    }

    @Override
    public void recordWritten(boolean events, int queue, long address, byte[] record, long cause) {
        if (count != null) {
            count.deviceWrites(false, record.length);
            count.notifications(1);
        }
    }

    @Override
    public void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause) {}

    @Override
    public void interrupted(int vector, long cause) {}

    @Override
    public void close() {
        if (!closing) {
            closing = true; // the model closes its wire, which is this
            nic.close();
            adapter.close();
            backing.close();
        }
    }
}
