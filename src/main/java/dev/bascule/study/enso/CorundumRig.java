package dev.bascule.study.enso;

import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.corundum.CorundumObserver;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.TxQueue;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumNic;
import dev.bascule.nic.corundum.CorundumOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** A Corundum card in virtual time: each core has a receive and a transmit queue, and flows are spread by their hash. */
final class CorundumRig extends TimedRig implements CorundumObserver, WireEnd {
    private static final int RING = 8192;
    private static final int BURST = 64;

    private final CorundumModel model;
    private final TimedLink link;
    private final LoopbackDevice backing;
    private final CorundumAdapter adapter;
    private final CorundumNic nic;
    private final ArrayDeque<byte[]> arriving = new ArrayDeque<>();
    private final List<IntSupplier> rounds = new ArrayList<>();
    private final PacketBatch sending = new PacketBatch(BURST);
    private long waitingBytes;
    private boolean counting;
    private boolean closing;

    CorundumRig(TimedCosts costs, int cores, Supplier<TimedApp> app) {
        super(costs, cores);
        CorundumConfig config = CorundumConfig.builder().ports(1).schedulers(1).build();
        model = new CorundumModel(config, List.of(this), false, this);
        link = new TimedLink(model, time, pcie, costs, false, this);
        backing = LoopbackDevice.open(link);
        adapter = CorundumAdapter.open(backing);
        nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(RING).withQueues(cores, cores));
        nic.start();
        while (model.poll() != 0) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < cores; i++) {
            ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(i), nic.txQueue(i),
                    timed(app.get(), this.cores.get(i), costs.queuePacket()), BURST);
            rounds.add(loop::run);
        }
        counting = true;
    }

    @Override
    TimedLink link() {
        return link;
    }

    @Override
    IntSupplier round(int core) {
        return rounds.get(core);
    }

    @Override
    void receive(byte[] frame) {
        if (waitingBytes < costs.bufferBytes()) {
            waitingBytes += frame.length;
            arriving.add(frame);
        }
    }

    @Override
    int offer(List<byte[]> frames) {
        TxQueue queue = nic.txQueue(0);
        queue.reclaim();
        int count = queue.allocate(sending, Math.min(frames.size(), sending.room()));
        for (int i = 0; i < count; i++) {
            byte[] frame = frames.get(i);
            MemorySegment.copy(frame, 0, sending.memory().segment(), ValueLayout.JAVA_BYTE, sending.offset(i),
                    frame.length);
            sending.setLength(i, frame.length);
        }
        int taken = queue.write(sending);
        if (taken + sending.packets() != count) {
            throw new IllegalStateException("the card refused frames of this load: " + queue.refused().total());
        }
        sending.release();
        queue.commit();
        return taken;
    }

    @Override
    int work() {
        return model.poll();
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        byte[] frame = offset == 0 ? data : java.util.Arrays.copyOfRange(data, offset, offset + lengthBytes);
        leave(frame, lengthBytes);
        return true;
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int done = 0;
        while (done < budget && !arriving.isEmpty()) {
            byte[] frame = arriving.remove();
            waitingBytes -= frame.length;
            sink.frame(frame, 0, frame.length);
            done++;
        }
        return done;
    }

    private TimedCore core(int queue) {
        return cores.get(queue % cores.size());
    }

    @Override
    public void written(long iova, long lengthBytes) {
        caches.deviceWrites(iova, lengthBytes);
    }

    @Override
    public void read(long iova, long lengthBytes) {}

    @Override
    public void stored(long offset, long value) {}

    @Override
    public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
        if (counting) {
            count.deviceReads(false, lengthBytes);
            core(queue).moved(address);
        }
    }

    @Override
    public void dataRead(int queue, long address, int lengthBytes, long cause) {
        if (counting) {
            count.deviceReads(true, lengthBytes);
        }
    }

    @Override
    public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
        if (counting) {
            count.deviceWrites(true, lengthBytes);
            placed(offset == 0 ? data : java.util.Arrays.copyOfRange(data, offset, offset + lengthBytes), address);
        }
    }

    @Override
    public void recordWritten(boolean events, int queue, long address, byte[] record, long cause) {
        if (counting) {
            count.deviceWrites(false, record.length);
            count.notifications(1);
            core(queue).moved(address);
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
