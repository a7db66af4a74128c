package dev.bascule.study.enso;

import dev.bascule.app.CopyEcho;
import dev.bascule.app.enso.Traffic;
import dev.bascule.config.ModelTiming;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.EnsoObserver;
import dev.bascule.model.enso.EnsoTransfer;
import dev.bascule.nic.Flow;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import dev.bascule.nic.enso.EnsoRegisters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An Ensō card in virtual time: each core has a group of its own and pipes to which ports are bound in turn. */
final class EnsoRig extends TimedRig implements EnsoObserver {
    /** As many small packets as fill a few requests: what comes next arrives while these leave. */
    private static final long BURST_BYTES = 16_384;
    private static final int CYCLE_PS = 5_000;
    private static final int UNLIMITED = 1 << 20;
    private static final int ENTRIES = 16_384;

    private final EnsoDevice model;
    private final TimedLink link;
    private final LoopbackDevice backing;
    private final EnsoNic nic;
    private final List<IntSupplier> rounds = new ArrayList<>();
    private final NavigableMap<Long, Integer> rings = new TreeMap<>();
    private final NotificationMode mode;
    private final long periodPs;
    private final List<EnsoGroup> groups = new ArrayList<>();
    private @Nullable TxPipe out;
    private byte[] arriving = new byte[0];

    /** Shape of a run: cores, pipes of each, and flits of a pipe's ring. */
    record Shape(int cores, int pipesPerCore, int ringFlits) {
        /** One pipe each, of the board tool's size. */
        static Shape of(int cores) {
            return new Shape(cores, 1, 32_768);
        }
    }

    /** @param periodNanos with {@link NotificationMode#PERIODIC}: how often a core asks */
    EnsoRig(TimedCosts costs, Shape shape, NotificationMode mode, double periodNanos, Supplier<TimedApp> app) {
        super(costs, shape.cores());
        this.mode = mode;
        periodPs = Math.round(periodNanos * 1e3);
        boolean perPacket = mode == NotificationMode.PER_PACKET;
        EnsoConfig config = EnsoConfig.ofRings(shape.ringFlits(), ENTRIES).withPerPacketNotification(perPacket);
        model = new EnsoDevice(new EnsoBoard(config.pipeRingFlits(), config.notificationRingEntries(),
                config.inflightEntries(), perPacket), () -> time.now() / CYCLE_PS,
                (frame, length, at) -> leave(frame, length), ModelTiming.IMMEDIATE, this);
        link = new TimedLink(model, time, pcie, costs, true, this);
        backing = LoopbackDevice.open(link);
        nic = EnsoNic.open(backing, config, work -> model.work(UNLIMITED));
        int port = 0;
        for (TimedCore core : cores) {
            int before = rings.size();
            EnsoGroup group = nic.openGroup();
            groups.add(group);
            if (rings.size() != before + 1) {
                throw new IllegalStateException("the group's ring was not seen");
            }
            rings.put(rings.lastKey(), rings.size() - 1);
            if (app.get() == TimedApp.COPY) {
                rounds.add(copying(core, group, port++));
                continue;
            }
            Map<RxPipe, PipeLoop> loops = new HashMap<>();
            for (int i = 0; i < shape.pipesPerCore(); i++) {
                RxTxPipe pipe = group.openRxTx();
                group.bind(pipe, Flow.to(Traffic.SERVER, Traffic.PORT + port++));
                loops.put(pipe, new PipeLoop(pipe, timed(app.get(), core, costs.pipePacket()), BURST_BYTES));
            }
            rounds.add(shape.pipesPerCore() == 1 ? one(core, loops) : many(group, loops));
        }
    }

    private IntSupplier one(TimedCore core, Map<RxPipe, PipeLoop> loops) {
        RxPipe pipe = loops.keySet().iterator().next();
        PipeLoop loop = loops.values().iterator().next();
        long[] lastAsked = { 0 };
        return () -> {
            boolean ask = mode == NotificationMode.PREFETCH && pipe.peek() > 0
                    || mode == NotificationMode.PERIODIC && core.localPs() - lastAsked[0] >= periodPs;
            if (ask) {
                lastAsked[0] = core.localPs();
                pipe.prefetch();
            }
            return loop.run();
        };
    }

    /** The copy reads every line that the card wrote, from the last level. */
    private IntSupplier copying(TimedCore core, EnsoGroup group, int port) {
        RxTxPipe pipe = group.openRxTx();
        group.bind(pipe, Flow.to(Traffic.SERVER, Traffic.PORT + port));
        TxPipe to = group.openTx();
        CopyEcho echo = new CopyEcho();
        return () -> {
            long lines = Math.min(pipe.peek(), to.available()) / RxPipe.QUANTUM_BYTES;
            core.charge(lines * costs.nanos(CacheModel.Answer.LAST));
            int packets = echo.run(pipe, to);
            core.charge(packets * costs.pipePacket());
            return packets;
        };
    }

    private IntSupplier many(EnsoGroup group, Map<RxPipe, PipeLoop> loops) {
        return () -> {
            RxPipe pipe = group.next();
            if (pipe == null) {
                return 0;
            }
            if (mode == NotificationMode.PREFETCH) {
                pipe.prefetch();
            }
            PipeLoop loop = loops.get(pipe);
            return loop == null ? 0 : loop.run();
        };
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
        arriving = frame;
        model.receive(frame, 0, frame.length);
        arriving = new byte[0];
    }

    @Override
    int offer(List<byte[]> frames) {
        TxPipe pipe = out == null ? groups.getFirst().openTx() : out;
        out = pipe;
        long bytes = 0;
        for (byte[] frame : frames) {
            long next = bytes + PacketFormat.padded(frame.length);
            if (next > pipe.available()) {
                return 0;
            }
            MemorySegment.copy(frame, 0, pipe.memory(), ValueLayout.JAVA_BYTE, pipe.offset() + bytes, frame.length);
            bytes = next;
        }
        return pipe.send(bytes) == bytes ? frames.size() : 0;
    }

    @Override
    int work() {
        return model.work(1);
    }

    @Override
    public void stored(long offset, long value) {
        long ring = offset - EnsoRegisters.RX_ADDRESS_LOW - EnsoRegisters.notificationPage(0);
        if (ring > 0 && ring % EnsoRegisters.PAGE_BYTES == 0) { // the driver's own has page 0
            rings.put(value, -1);
        }
    }

    /** Number of the core whose ring the address is in, or -1. */
    private int ringOf(long iova) {
        Map.Entry<Long, Integer> ring = rings.floorEntry(iova);
        return ring != null && iova - ring.getKey() < 2L * ENTRIES * EnsoRegisters.LINE_BYTES ? ring.getValue() : -1;
    }

    @Override
    public void written(long iova, long lengthBytes) {
        caches.deviceWrites(iova, lengthBytes);
        int core = ringOf(iova);
        if (core >= 0) {
            cores.get(core).moved(iova);
        } else if (arriving.length > 0) {
            placed(arriving, iova);
            arriving = new byte[0];
        }
    }

    @Override
    public void read(long iova, long lengthBytes) {
        int core = ringOf(iova);
        if (core >= 0) {
            cores.get(core).moved(iova);
        }
    }

    @Override
    public void written(EnsoTransfer kind, int lengthBytes) {
        count.deviceWrites(kind == EnsoTransfer.DATA, lengthBytes);
        count.notifications(kind == EnsoTransfer.DATA ? 0 : 1);
    }

    @Override
    public void read(EnsoTransfer kind, int lengthBytes) {
        count.deviceReads(kind == EnsoTransfer.DATA, lengthBytes);
        link.requested(lengthBytes);
    }

    @Override
    public void close() {
        nic.close();
        backing.close();
    }
}
