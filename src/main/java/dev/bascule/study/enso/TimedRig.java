package dev.bascule.study.enso;

import dev.bascule.nic.PacketProcessor;
import dev.bascule.study.Events;
import dev.bascule.study.fabric.FabricCosts;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A card, its link, 100 Gbit/s Ethernet and the cores of a host in virtual time. The driver, the application and the
 * card's model are the real ones; time is what {@link TimedCosts}, {@link PcieLink}, {@link CacheModel} and the wire take.
 * Every frame carries its number at bytes 46 to 49. One run each. One thread.
 */
abstract class TimedRig implements AutoCloseable, TimedLink.Watcher {
    private static final ValueLayout.OfInt NUMBER = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int NUMBER_AT = 46;
    private static final int LINE = 64;
    /** A core copies a line in two cycles; chosen. */
    private static final double COPY_BYTES_PER_NANO = 100;
    private static final long QUIET_PS = 60_000 * FabricCosts.NANO;
    private static final long APP_MEMORY = 1L << 56;
    private static final long WIRE_AHEAD_PS = 4_000 * FabricCosts.NANO;

    final Events time = new Events();
    final PcieLink pcie = PcieLink.GEN3_X16;
    final TimedCosts costs;
    final CacheModel caches;
    final List<TimedCore> cores = new ArrayList<>();
    final PcieCount count = new PcieCount(pcie);
    private final long psBuffered;
    private long[] arrivedPs = new long[0];
    private long[] lineOf = new long[0];
    private double[] latencies = new double[0];
    private long[] donePs = new long[0];
    private int[] doneBytes = new int[0];
    private int done;
    private int arrived;
    private long wireFreePs;
    private long lastArrivalPs;
    private long lastNewsPs;
    private @Nullable SealingUnit unit;
    private boolean pumping;
    private boolean over;

    TimedRig(TimedCosts costs, int coreCount) {
        this.costs = costs;
        caches = new CacheModel(coreCount);
        psBuffered = Math.round(costs.bufferBytes() * 8e12 / pcie.bitsPerSecond());
        for (int i = 0; i < coreCount; i++) {
            cores.add(new TimedCore(i, costs, caches));
        }
    }

    /** The link. */
    abstract TimedLink link();

    /** One round of a core; how many packets. */
    abstract IntSupplier round(int core);

    /** A frame is in the card. */
    abstract void receive(byte[] frame);

    /** The first core sends frames; how many it could. */
    abstract int offer(List<byte[]> frames);

    /** The card does one piece of work; 0 if there is none. */
    abstract int work();

    /** Processor that runs the application and charges {@code core} what driver and application take for a packet. */
    final PacketProcessor timed(TimedApp app, TimedCore core, double packetNanos) {
        return (memory, offset, lengthBytes) -> {
            int number = memory.get(NUMBER, offset + NUMBER_AT);
            core.charge(packetNanos + app.nanosPerPacket() + app.nanosPerByte() * lengthBytes);
            for (int at = 0; at < (app.wholePacket() ? lengthBytes : 1); at += LINE) {
                core.access(lineOf[number] + at);
            }
            app.touches().of(memory, offset, lengthBytes, line -> core.access(APP_MEMORY + line));
            int out = app.code().process(memory, offset, lengthBytes);
            if (!app.answers()) {
                took(number, lengthBytes, core.localPs());
            }
            return out;
        };
    }

    /** Where the card has put the frame of this number. */
    final void placed(byte[] frame, long address) {
        lineOf[number(frame)] = address;
    }

    /** The number of a frame. */
    static int number(byte[] frame) {
        return (frame[NUMBER_AT] & 0xFF) << 24 | (frame[NUMBER_AT + 1] & 0xFF) << 16
                | (frame[NUMBER_AT + 2] & 0xFF) << 8 | frame[NUMBER_AT + 3] & 0xFF;
    }

    /** A frame leaves the card for the wire as soon as the card has read it and the wire is free. */
    final void leave(byte[] frame, int lengthBytes) {
        if (arrivedPs.length == 0) {
            return;
        }
        SealingUnit engine = unit;
        if (engine != null) {
            byte[] result = engine.seal(frame, lengthBytes);
            time.at(engine.donePs(link().readyPs(), lengthBytes), _ -> enter(result));
            return;
        }
        wireFreePs = Math.max(wireFreePs, link().readyPs()) + TimedLoad.wirePs(lengthBytes);
        took(number(frame), lengthBytes, wireFreePs);
    }

    private void took(int number, int lengthBytes, long atPs) {
        latencies[done] = (double) (atPs - arrivedPs[number]) / FabricCosts.NANO;
        donePs[done] = atPs;
        doneBytes[done++] = lengthBytes + TimedLoad.OVERHEAD_BYTES;
        lastNewsPs = Math.max(lastNewsPs, atPs);
    }

    /** The card works as far as its link and the wire have room. */
    final void pump() {
        if (pumping) {
            return;
        }
        link().cause(TimedLink.WORK);
        long ahead = 2 * Math.round(costs.oneWay() * FabricCosts.NANO);
        while (link().toDeviceBacklogPs() < ahead && wireFreePs - time.now() < WIRE_AHEAD_PS
                && link().toHostBacklogPs() < psBuffered) {
            if (work() == 0) {
                return;
            }
        }
        pumping = true;
        long wait = Math.max(Math.max(link().toDeviceBacklogPs() - ahead / 2,
                wireFreePs - time.now() - WIRE_AHEAD_PS / 2), link().toHostBacklogPs() - psBuffered / 2);
        time.at(time.now() + Math.max(wait, FabricCosts.NANO), _ -> {
            pumping = false;
            pump();
        });
    }

    /** Runs it. */
    final TimedResult run(TimedLoad load) {
        begin(load.packets());
        for (int i = 0; i < cores.size(); i++) {
            TimedCore core = cores.get(i);
            IntSupplier round = round(i);
            time.at(0, _ -> step(core, round));
        }
        time.at(0, _ -> arrive(load, 0));
        return finish(load.packets());
    }

    /**
     * Runs requests of the first core to an engine behind the card instead.
     *
     * @param window most under way
     * @param batch handed over together
     */
    final TimedResult request(SealingUnit engine, int requests, IntFunction<byte[]> message, int window, int batch) {
        begin(requests);
        unit = engine;
        IntSupplier answers = round(0);
        TimedCore core = cores.getFirst();
        time.at(0, _ -> step(core, () -> {
            int came = answers.getAsInt();
            int wanted = Math.min(batch, requests - arrived);
            if (wanted == 0 || arrived - done > window - batch) {
                return came;
            }
            return came + hand(core, message, wanted);
        }));
        return finish(requests);
    }

    private int hand(TimedCore core, IntFunction<byte[]> message, int count) {
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = message.apply(arrived + i);
            mark(bytes, arrived + i);
            messages.add(bytes);
            core.charge(costs.record() + bytes.length / COPY_BYTES_PER_NANO);
        }
        int taken = offer(messages);
        for (int i = 0; i < taken; i++) {
            arrivedPs[arrived++] = core.localPs();
        }
        lastArrivalPs = core.localPs();
        return taken;
    }

    private void begin(int packets) {
        arrivedPs = new long[packets];
        lineOf = new long[packets];
        latencies = new double[packets];
        donePs = new long[packets];
        doneBytes = new int[packets];
        link().begin(this::pump);
    }

    private TimedResult finish(int packets) {
        while (!over && time.step()) {
            over = arrived == packets && time.now() > Math.max(lastNewsPs, lastArrivalPs) + QUIET_PS;
        }
        link().end();
        return result(packets);
    }

    private void enter(byte[] frame) {
        link().cause(TimedLink.ARRIVAL);
        receive(frame);
        pump();
    }

    private static void mark(byte[] frame, int number) {
        for (int i = 0; i < 4; i++) {
            frame[NUMBER_AT + i] = (byte) (number >>> 24 - 8 * i);
        }
    }

    private void step(TimedCore core, IntSupplier round) {
        link().host(core);
        core.begin(time.now());
        int packets = round.getAsInt();
        lastNewsPs = packets > 0 ? Math.max(lastNewsPs, core.localPs()) : lastNewsPs;
        time.at(core.localPs(), _ -> step(core, round));
    }

    private void arrive(TimedLoad load, int number) {
        byte[] frame = load.frame().apply(number);
        mark(frame, number);
        long wire = Math.round(TimedLoad.wirePs(frame.length) / load.share());
        time.at(time.now() + wire, _ -> {
            arrivedPs[number] = time.now();
            lastArrivalPs = time.now();
            arrived++;
            if (link().toHostBacklogPs() < psBuffered) {
                time.at(time.now() + Math.round(costs.receive() * FabricCosts.NANO), _ -> enter(frame));
            }
            if (number + 1 < load.packets()) {
                arrive(load, number + 1);
            }
        });
    }

    private TimedResult result(int packets) {
        long lastPs = 0;
        long bytes = 0;
        for (int i = 0; i < done; i++) {
            lastPs = Math.max(lastPs, donePs[i]);
            bytes += doneBytes[i];
        }
        long[] order = Arrays.copyOf(donePs, done);
        Arrays.sort(order);
        double rate = done < 5 ? 0 : (done - 1 - done / 5) * 1e12 / Math.max(1, order[done - 1] - order[done / 5]);
        double offered = packets * 1e12 / Math.max(1, lastArrivalPs);
        count.packets(Math.max(1, done));
        double per = Math.max(1, done);
        return new TimedResult(packets, done, Math.min(rate, offered), bytes / per,
                (double) lastArrivalPs / FabricCosts.NANO, (double) (lastPs - lastArrivalPs) / FabricCosts.NANO,
                Arrays.copyOf(latencies, done), count.notificationsPerPacket(), count, caches.firstMisses() / per,
                caches.secondMisses() / per, caches.lastMisses() / per);
    }
}
