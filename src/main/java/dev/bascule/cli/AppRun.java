package dev.bascule.cli;

import dev.bascule.app.CopyEcho;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketPipes;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.nic.PipeGroup;
import dev.bascule.nic.PipeLoop;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoGroup;
import dev.bascule.nic.enso.EnsoNic;
import dev.bascule.run.Delivery;
import dev.bascule.run.Summary;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** An application on an interface of a simulated card, opened from the card up and closed from the application down. */
final class AppRun implements AutoCloseable {
    /** Stands for echo by copying, which is no processing in place. */
    static final PacketProcessor COPY = (memory, offset, lengthBytes) -> lengthBytes;

    private static final int BURST = 64;
    private static final int RING = 1024;
    private static final long PIPE_BYTES = 1 << 21;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private Runnable check = () -> {};
    private IntSupplier round = () -> 0;
    private LongSupplier packets = () -> 0;
    private LongSupplier dropped = () -> 0;
    private LongSupplier noRoom = () -> 0;
    private LongSupplier copied = () -> 0;
    private LongSupplier unsendable = () -> 0;
    private LongSupplier refused = () -> 0;
    private Supplier<Losses> byProgram = () -> Losses.NONE;
    private Supplier<Losses> atPort = () -> Losses.NONE;
    private Supplier<Losses> losses = () -> Losses.NONE;
    private boolean modelled;

    private AppRun() {}

    /** On a simulated card of this process, whose port is plugged into {@code wire}. */
    static AppRun open(String card, String view, PacketProcessor processor, WireEnd wire) throws Exception {
        return open(view, processor, run -> run.pipes(card, wire), run -> run.nic(card, wire));
    }

    /** On a card that a user named: one port of it, with a link. */
    static AppRun open(CardSetup setup, PortOption port, String view, PacketProcessor processor) throws Exception {
        return open(view, processor, run -> run.pipes(setup, port), run -> run.nic(setup, port));
    }

    private static AppRun open(String view, PacketProcessor processor, Function<AppRun, PipeGroup> pipes,
            Function<AppRun, Nic> nic) throws Exception {
        AppRun run = new AppRun();
        if (processor instanceof AutoCloseable file) {
            run.opened(file);
        }
        try {
            switch (view) {
                case "pipe" -> run.onPipes(pipes.apply(run), processor);
                case "packet" -> run.onQueues(nic.apply(run), processor);
                default -> throw new AssertionError(view);
            }
        } catch (RuntimeException e) {
            run.close();
            throw e;
        }
        return run;
    }

    private Nic nic(String card, WireEnd wire) {
        modelled = true;
        return switch (card) {
            case "enso" -> {
                EnsoCard model = new EnsoCard(new CountedWire(wire));
                losses = model::losses;
                yield port(model);
            }
            case "corundum" -> {
                CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).build(), List.of(wire), true);
                losses = model::losses;
                yield port(model);
            }
            default -> throw new AssertionError(card);
        };
    }

    private Nic port(DeviceModel model) {
        Nic nic = opened(Nics.open(LoopbackDevice.open(model))).openPort(0,
                NicOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        return nic;
    }

    private EnsoNic enso(WireEnd wire) {
        EnsoCard model = new EnsoCard(new CountedWire(wire));
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
        return copying(nic(card, wire));
    }

    private Nic nic(CardSetup setup, PortOption port) {
        NicAdapter card = opened(setup.open(List.of()));
        Nic nic = card.openPort(port.of(card), NicOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        setup.link().await(List.of(nic));
        return nic;
    }

    private PipeGroup pipes(CardSetup setup, PortOption port) {
        if (setup.card().isDpdk()) {
            return copying(nic(setup, port));
        }
        DeviceBacking backing = opened(setup.openBacking(List.of()));
        if (EnsoSetup.isEnso(backing.info())) {
            setup.requireNoTelemetry("pipes have no packet queues whose counters could be shown: --interface packet");
            EnsoNic nic = opened(EnsoNic.open(backing, setup.prepare(backing)));
            EnsoGroup group = opened(nic.openGroup());
            check = nic::check;
            return group;
        }
        NicAdapter card = opened(setup.seen(Nics.open(backing)));
        Nic nic = card.openPort(port.of(card), NicOptions.DEFAULTS.withRingEntries(RING));
        nic.start();
        setup.link().await(List.of(nic));
        return copying(nic);
    }

    private PipeGroup copying(Nic nic) {
        check = nic::check;
        PacketPipes group = opened(new PacketPipes(nic.rxQueue(0), nic.txQueue(0), PIPE_BYTES));
        copied = group::copiedBytes;
        refused = nic.txQueue(0).refused()::total;
        atPort = () -> Delivery.byPorts(List.of(nic), modelled)
                .plus("program", "no length in it", group.withoutLength())
                .plus("program", "too long for a pipe", group.tooLong())
                .plus("program", "no packet, up to the end", group.malformed());
        return group;
    }

    private void onPipes(PipeGroup group, PacketProcessor processor) {
        RxTxPipe pipe = group.openFallbackRxTx();
        if (processor == COPY) {
            TxPipe out = group.openTx();
            CopyEcho echo = copy();
            round = () -> echo.run(pipe, out);
            unsendable = echo::unsendable;
            byProgram = () -> misfits(echo.unsendable(), echo.malformed());
            return;
        }
        PipeLoop loop = new PipeLoop(pipe, processor, Long.MAX_VALUE);
        round = loop::run;
        packets = loop::processed;
        dropped = () -> loop.dropped() - loop.unsendable();
        noRoom = loop::noRoom;
        unsendable = loop::unsendable;
        byProgram = () -> misfits(loop.unsendable(), loop.malformed());
    }

    private static Losses misfits(long unsendable, long malformed) {
        return Losses.NONE.plus("program", "not IPv4 as the card cuts it", unsendable)
                .plus("program", "no packet, up to the next", malformed);
    }

    private void onQueues(Nic nic, PacketProcessor processor) {
        check = nic::check;
        refused = nic.txQueue(0).refused()::total;
        atPort = () -> Delivery.byPorts(List.of(nic), modelled);
        if (processor == COPY) {
            CopyEcho echo = copy();
            round = () -> echo.run(nic.rxQueue(0), nic.txQueue(0));
            unsendable = echo::unsendable;
            byProgram = () -> Losses.NONE.plus("program", "too long", echo.unsendable());
            return;
        }
        ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), processor, BURST);
        round = loop::run;
        packets = loop::processed;
        dropped = loop::dropped;
        noRoom = loop::noRoom;
    }

    private CopyEcho copy() {
        CopyEcho echo = new CopyEcho();
        packets = echo::packets;
        copied = echo::bytes;
        return echo;
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

    /** Packets that the application did not want to send. */
    long dropped() {
        return dropped.getAsLong();
    }

    /** Packets that came and do not go back. */
    long staying() {
        return dropped() + noRoom() + unsendable.getAsLong() + refused.getAsLong();
    }

    /** Where frames were lost on their way in. */
    Losses losses() {
        return losses.get();
    }

    /** Packets for which there was no room to send. */
    long noRoom() {
        return noRoom.getAsLong();
    }

    /** Frames that the port, its queues or its pipe could not carry in or back. */
    Losses misfits() {
        return byProgram.get().plus(atPort.get());
    }

    void describe(Summary summary) {
        summary.put("dropped by the application", dropped()).put("no room", noRoom()).put("copied bytes",
                copied.getAsLong());
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
