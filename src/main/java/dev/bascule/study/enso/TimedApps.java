package dev.bascule.study.enso;

import static dev.bascule.study.enso.TimedSections.figure;
import static dev.bascule.study.enso.TimedSections.known;

import dev.bascule.app.CircularStore;
import dev.bascule.app.CountSketch;
import dev.bascule.app.KeyValueServer;
import dev.bascule.app.Maglev;
import dev.bascule.app.MaglevTable;
import dev.bascule.app.Telemetry;
import dev.bascule.app.enso.Traffic;
import dev.bascule.study.experiment.Figure;
import dev.bascule.study.experiment.Section;
import dev.bascule.study.report.Plot;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The evaluation's applications in virtual time, on pipes and on the packetized twin, with the same code on both. */
final class TimedApps {
    private static final String CALIBRATED = "instructions, so that one core on pipes does what is published of Ensō; queues are"
            + " predicted with the same";
    private static final int FLOOD = 1 << 20;
    private static final int CACHED = 16;
    private static final int CONNECTIONS = 1 << 16;
    private static final int BACKENDS = 1000;
    private static final int WORD = 4;
    private static final int SOURCE_AT = 26;
    private static final int KEY_AT = 50;
    /** Instructions, ns a packet; found by hand so that the pipes' figures come out. */
    private static final double MAGLEV_NANOS = 1.7;
    private static final double SKETCH_NANOS = 5.0;
    private static final double STORE_NANOS = 98;

    private final TimedSections all;
    private final MaglevTable table = new MaglevTable(
            IntStream.range(0, BACKENDS).mapToObj(i -> "b" + i).toList());

    TimedApps(TimedSections all) {
        this.all = all;
    }

    private static int flow(MemorySegment memory, long offset) {
        int source = memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + SOURCE_AT);
        int ports = memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 34);
        int mixed = (source ^ ports * 0x9E37_79B9) * 0x85EB_CA6B;
        return mixed ^ mixed >>> 15;
    }

    /** A slot of the cache of connections, in two arrays; for a flow that is not there, the table's and the address. */
    private static TimedApp.Touches connections(boolean known) {
        return (memory, offset, lengthBytes, line) -> {
            int flow = flow(memory, offset);
            long slot = (long) (flow & CONNECTIONS - 1) * WORD;
            line.accept(slot);
            line.accept((1 << 20) + slot);
            if (!known) {
                line.accept((2 << 20) + (long) Integer.remainderUnsigned(flow, 65_537) * WORD);
                line.accept((3 << 20) + (long) Integer.remainderUnsigned(flow, BACKENDS) * WORD);
            }
        };
    }

    private TimedApp maglev(boolean known) {
        return new TimedApp(new Maglev(table, IntStream.range(0, BACKENDS).toArray(), CONNECTIONS), MAGLEV_NANOS, 0,
                false, true, connections(known));
    }

    private static TimedApp telemetry() {
        CountSketch sketch = new CountSketch(5, 1 << 14, 0.01, 1);
        SplittableRandom random = new SplittableRandom(2);
        return new TimedApp(new Telemetry(sketch), SKETCH_NANOS, 0, false, true,
                (memory, offset, lengthBytes, line) -> {
                    if (random.nextInt(20) == 0) { // five rows, one packet in a hundred each
                        line.accept((long) (flow(memory, offset) & (1 << 14) - 1) * Long.BYTES);
                    }
                });
    }

    private TimedLoad flows(int count, int cores) {
        return new TimedLoad(all.packets(), 1, i -> {
            byte[] frame = Traffic.udp(0x0A00_0000 + (int) (i * 2_654_435_761L % count), 1024, 60);
            Traffic.put(frame, 36, 2, Traffic.PORT + i % cores);
            return frame;
        });
    }

    private double onPipes(int cores, TimedLoad load, Supplier<TimedApp> app) {
        return all.mostOnPipes(EnsoRig.Shape.of(cores), load, app).mpps();
    }

    Section throughput() {
        List<Figure> figures = new ArrayList<>();
        both("Maglev, 16 flows", CACHED, () -> maglev(true), 138, 23, figures);
        if (!all.isQuick()) {
            both("Maglev, a new flow each", FLOOD, () -> maglev(false), 0, 0, figures);
            figures.add(figure("Maglev, a new flow each, pipes, 4 cores", "Mpps",
                    onPipes(4, flows(FLOOD, 4), () -> maglev(false)), known(148.8, TimedSections.DATA)));
        }
        int[] counts = all.isQuick() ? new int[] { 1 << 10 } : new int[] { 1 << 10, 1 << 16, 1 << 20 };
        for (int count : counts) {
            both(String.format(Locale.ROOT, "NitroSketch, %,d flows", count), count, TimedApps::telemetry,
                    count == 1 << 10 ? 121 : 0, 33.9, figures);
        }
        return new Section("h", "Maglev and NitroSketch",
                "64-byte frames, one core unless said; 1,000 back ends, 65,536 connections; a sketch of five rows of 16,384"
                        + " with one packet in a hundred",
                figures);
    }

    private void both(String name, int flows, Supplier<TimedApp> app, double publishedPipes, double publishedQueues,
            List<Figure> figures) {
        double pipes = onPipes(1, flows(flows, 1), app);
        double queues = all.mostOnQueues(1, flows(flows, 1), app).mpps();
        Figure ours = figure(name + ", pipes", "Mpps", pipes,
                publishedPipes == 0 ? null : known(publishedPipes, TimedSections.PAPER));
        figures.add(publishedPipes == 0 ? ours : ours.calibrated(CALIBRATED));
        figures.add(figure(name + ", queues", "Mpps", queues,
                publishedPipes == 0 ? null : known(publishedQueues, TimedSections.PAPER)));
        figures.add(figure(name + ", pipes against queues", "x", pipes / queues,
                publishedPipes == 0 ? null : known(publishedPipes / publishedQueues, TimedSections.PAPER)));
    }

    private static TimedApp store() {
        return new TimedApp(new KeyValueServer(new CircularStore(1 << 26, 1 << 16), Traffic.PORT), STORE_NANOS, 0, true,
                true, TimedApps::storeLines);
    }

    /** The index's set, and the value in the log. */
    private static void storeLines(MemorySegment memory, long offset, int lengthBytes, LongConsumer line) {
        long key = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + KEY_AT);
        long mixed = key * 0x9E37_79B9_7F4A_7C15L;
        line.accept((mixed >>> 48) * 64);
        for (int at = 0; at < lengthBytes - 58; at += 64) {
            line.accept((1L << 30) + (mixed >>> 12 & (1 << 20) - 1) * 64 + at);
        }
    }

    /** Requests of uniform keys; {@code gets} of a hundred read. */
    private IntFunction<byte[]> requests(int gets, int valueBytes) {
        return i -> {
            SplittableRandom random = new SplittableRandom(all.seed() * 31 + i);
            byte[] frame = Traffic.udp(random.nextInt(), 1024, Math.max(60, 58 + valueBytes));
            boolean get = random.nextInt(100) < gets;
            frame[42] = (byte) (get ? KeyValueServer.GET : KeyValueServer.PUT);
            frame[44] = (byte) (get ? 0 : valueBytes);
            frame[45] = (byte) (get ? 0 : valueBytes >>> 8);
            Traffic.put(frame, KEY_AT, 4, random.nextInt(100_000));
            return frame;
        };
    }

    Section keyValue() {
        List<Figure> figures = new ArrayList<>();
        int packets = all.packets() / 4;
        for (int gets : all.isQuick() ? new int[] { 95 } : new int[] { 50, 95 }) {
            for (int bytes : all.isQuick() ? new int[] { 8 } : new int[] { 8, 64, 256, 1024 }) {
                double wire = TimedLoad.wirePs(Math.max(60, 58 + bytes)) / 1e12;
                TimedLoad load = new TimedLoad(packets, Math.min(1, 12e6 * wire), requests(gets, bytes));
                double pipes = onPipes(1, load, TimedApps::store);
                double queues = all.mostOnQueues(1, load, TimedApps::store).mpps();
                boolean main = gets == 95 && bytes == 8;
                String name = gets + " % get, values of " + bytes + " bytes, ";
                Figure ours = figure(name + "pipes", "Mops", pipes, main ? known(7.6, TimedSections.PAPER) : null);
                figures.add(main ? ours.calibrated(CALIBRATED) : ours);
                figures.add(figure(name + "queues", "Mops", queues, main ? known(5.8, TimedSections.PAPER) : null));
                figures.add(figure(name + "pipes against queues", "x", pipes / queues,
                        main ? known(1.31, TimedSections.PAPER) : null));
            }
        }
        storeLatency(packets, figures);
        return new Section("i", "MICA: a key-value store over UDP",
                "one core, 100,000 keys of 8 bytes, evenly; offered are 12 million requests a second, or the line",
                figures);
    }

    private void storeLatency(int packets, List<Figure> figures) {
        double[] mops = all.isQuick() ? new double[] { 2, 6 } : new double[] { 1, 2, 3, 4, 5, 5.5, 6, 6.5, 7 };
        List<Double> x = new ArrayList<>();
        List<Double> pipeMicros = new ArrayList<>();
        List<Double> queueMicros = new ArrayList<>();
        double most = 0;
        for (double rate : mops) {
            TimedLoad load = new TimedLoad(packets, rate * 1e6 * TimedLoad.wirePs(66) / 1e12, requests(95, 8));
            TimedResult pipes = all.pipes(EnsoRig.Shape.of(1), NotificationMode.PREFETCH, 1_000, load,
                    TimedApps::store);
            TimedResult queues = all.queues(1, load, TimedApps::store);
            x.add(rate);
            pipeMicros.add(pipes.latencyMicros(0.5));
            queueMicros.add(queues.latencyMicros(0.5));
            if (queues.keptUp() && pipes.keptUp()) { // both keep up
                most = Math.max(most, 100 * (1 - pipes.latencyMicros(0.5) / queues.latencyMicros(0.5)));
            }
        }
        figures.add(figure("median latency on pipes, least of that on queues: less by", "%", most,
                known(43, TimedSections.PAPER)));
        all.plot("enso-mica.svg", new Plot("Median latency of requests against load, simulated",
                "offered, million requests a second", "us (log scale)")
                .line("pipes", TimedSections.array(x), TimedSections.array(pipeMicros))
                .line("queues", TimedSections.array(x), TimedSections.array(queueMicros)));
    }
}
