package dev.bascule.cli;

import dev.bascule.app.CopyEcho;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.device.DeviceBacking;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.nic.Nic;
import dev.bascule.nic.PacketPipes;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.PipeGroup;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumOptions;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import dev.bascule.nic.enso.EnsoPacketNic;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** An application on an interface of a simulated card, opened from the card up and closed from the application down. */
final class AppRun implements AutoCloseable {
    private static final int BURST = 64;
    private static final int RING = 1024;
    private static final long PIPE_BYTES = 1 << 21;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Runnable check = () -> {};
    private IntSupplier round = () -> 0;
    private LongSupplier packets = () -> 0;
    private LongSupplier noRoom = () -> 0;
    private LongSupplier copied = () -> 0;
    private Supplier<Losses> losses = () -> Losses.NONE;

    private AppRun() {}

    static AppRun open(String card, String view, String app, Path captureFile, WireEnd wire) throws Exception {
        AppRun run = new AppRun();
        try {
            switch (view) {
                case "pipe" -> run.onPipes(run.pipes(card, wire), app, captureFile);
                case "packet" -> run.onQueues(run.nic(card, wire), app, captureFile);
                default -> throw new Failure("--interface " + view + ": it can be pipe or packet");
            }
        } catch (RuntimeException e) {
            run.close();
            throw e;
        }
        return run;
    }

    private Nic nic(String card, WireEnd wire) {
        return switch (card) {
            case "enso" -> {
                EnsoPacketNic nic = opened(new EnsoPacketNic(enso(wire), 1));
                nic.start();
                yield nic;
            }
            case "corundum" -> {
                CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).build(), List.of(wire), true);
                CorundumAdapter adapter = opened(CorundumAdapter.open(opened(LoopbackDevice.open(model))));
                losses = model::losses;
                Nic nic = adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(RING));
                nic.start();
                yield nic;
            }
            default -> throw new Failure("--card " + card + ": it can be enso or corundum");
        };
    }

    private EnsoNic enso(WireEnd wire) {
        EnsoServed model = new EnsoServed(new CountedWire(wire));
        DeviceBacking card = opened(LoopbackDevice.open(model));
        losses = model::losses;
        return opened(EnsoNic.open(card, EnsoConfig.DEFAULT));
    }

    private PipeGroup pipes(String card, WireEnd wire) {
        if (card.equals("enso")) {
            EnsoNic nic = enso(wire);
            EnsoGroup group = opened(nic.openGroup());
            check = nic::check;
            return group;
        }
        Nic nic = nic(card, wire);
        check = nic::check;
        PacketPipes group = opened(new PacketPipes(nic.rxQueue(0), nic.txQueue(0), PIPE_BYTES));
        copied = group::copiedBytes;
        return group;
    }

    private void onPipes(PipeGroup group, String app, Path captureFile) {
        RxTxPipe pipe = group.openFallbackRxTx();
        if (app.equals("copy")) {
            TxPipe out = group.openTx();
            copyRounds(echo -> echo.run(pipe, out));
            return;
        }
        PipeLoop loop = new PipeLoop(pipe, processor(app, captureFile), Long.MAX_VALUE);
        round = loop::run;
        packets = loop::processed;
        noRoom = loop::noRoom;
    }

    private void onQueues(Nic nic, String app, Path captureFile) {
        check = nic::check;
        if (app.equals("copy")) {
            copyRounds(echo -> echo.run(nic.rxQueue(0), nic.txQueue(0)));
            return;
        }
        ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), processor(app, captureFile), BURST);
        round = loop::run;
        packets = loop::processed;
        noRoom = loop::noRoom;
    }

    /** Its frames are of one length, a whole quantum, so that bytes tell packets. */
    private void copyRounds(java.util.function.ToLongFunction<CopyEcho> once) {
        CopyEcho echo = new CopyEcho();
        int frameBytes = SampleApps.frames("copy", 1)[0].length;
        round = () -> (int) (once.applyAsLong(echo) / frameBytes);
        packets = () -> echo.bytes() / frameBytes;
        copied = echo::bytes;
    }

    private PacketProcessor processor(String app, Path captureFile) {
        PacketProcessor processor = SampleApps.processor(app, captureFile);
        if (processor instanceof AutoCloseable file) {
            opened(file);
        }
        return processor;
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    void check() {
        check.run();
    }

    /** One round; says how many packets came. */
    int round() {
        return round.getAsInt();
    }

    long packets() {
        return packets.getAsLong();
    }

    /** Where frames were lost on their way in. */
    Losses losses() {
        return losses.get();
    }

    /** Packets, or runs of packets of a pipe, that the application could not send. */
    long noRoom() {
        return noRoom.getAsLong();
    }

    void describe(Summary summary) {
        summary.put("no room", noRoom()).put("copied bytes", copied.getAsLong());
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
