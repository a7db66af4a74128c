package dev.bascule.bench;

import dev.bascule.study.fabric.Accelerator;
import dev.bascule.study.fabric.Fabric;
import dev.bascule.study.fabric.FabricCosts;
import dev.bascule.study.fabric.Field;
import dev.bascule.study.fabric.FrameSender;
import dev.bascule.study.fabric.Match;
import dev.bascule.study.fabric.Op;
import dev.bascule.study.fabric.Program;
import dev.bascule.study.fabric.Stage;
import dev.bascule.study.fabric.StreamLimits;
import dev.bascule.study.fabric.StreamPort;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The streaming fabric: CPU time an item for card, two devices that pass it on, and card, beside a C loop that copies the
 * same bytes as often and decides nothing.
 */
final class FabricBenchmark implements Benchmark {
    private static final int[] SIZES = { 64, 1024 };
    private static final int ITEMS = 50_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @Override
    public List<String> rows() {
        return List.of("fabric-64", "fabric-1024");
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Map<String, List<Double>> all = new LinkedHashMap<>();
        for (int i = 0; i < session.processes(); i++) {
            for (String line : Forks.run(Forks.java(List.of("-Dbascule.home=" + session.home()),
                    FabricBenchmark.class.getName(), session.twins(), Integer.toString(session.millis())), session,
                    120)) {
                String[] fields = line.split("\t");
                all.computeIfAbsent(fields[0], name -> new ArrayList<>()).add(Double.parseDouble(fields[1]));
            }
        }
        List<Result> results = new ArrayList<>();
        for (String row : rows()) {
            if (wanted.contains(row)) {
                results.add(result(row, all.getOrDefault(row, List.of()), all.getOrDefault(row + "-c", List.of())));
            }
        }
        return results;
    }

    private static Result result(String row, List<Double> ours, List<Double> theirs) {
        if (theirs.size() != ours.size() || ours.isEmpty()) {
            return Result.notMeasured(row, "ns", Double.NaN, "no C compiler (cc)");
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i) / theirs.get(i));
        }
        return new Result(row, "ns", "", Stats.median(ours), Stats.median(theirs), "c copies", Stats.median(ratios),
                Stats.max(ratios), Double.NaN, false, ours.size(), ours.size(),
                "CPU time per item of a chain of two devices against three copies; for information");
    }

    // ---- in the forked process

    /** Prints for each size: name, median ns an item; the same for C. */
    public static void main(String[] args) {
        Twins twins = Twins.load(args[0]);
        long length = 2 * Long.parseLong(args[1]) * 1_000_000;
        for (int size : SIZES) {
            List<Double> ours = new ArrayList<>();
            List<Double> theirs = new ArrayList<>();
            Side c = twins.available()
                    ? twins.side("copy_chain", Arena.global().allocate(1 << 16, 4096), size, 0)
                    : null;
            long start = System.nanoTime();
            for (int window = 0; window < 9 || System.nanoTime() - start < length; window++) {
                ours.add(chain(size));
                if (c != null) {
                    long before = THREADS.getCurrentThreadCpuTime();
                    c.run(window, ITEMS);
                    theirs.add((double) (THREADS.getCurrentThreadCpuTime() - before) / ITEMS);
                }
            }
            System.out.println("fabric-" + size + "\t" + Stats.median(ours.subList(5, ours.size())));
            if (c != null) {
                System.out.println("fabric-" + size + "-c\t" + Stats.median(theirs.subList(5, theirs.size())));
            }
        }
    }

    private static double chain(int sizeBytes) {
        long[] left = new long[1];
        Accelerator pass = (command, parameter, in, offset, lengthBytes, out) -> {
            System.arraycopy(in, offset, out, 0, lengthBytes);
            return lengthBytes;
        };
        Fabric fabric = new Fabric(FabricCosts.PROPOSAL, 4096, StreamLimits.DEFAULT);
        StreamPort card = fabric.plug("card", new FrameSender(frame -> left[0]++, 0), 1 << 16, 8);
        List<Program.Node> nodes = List.of(new Program.Node("in", card, 0, 0, 0, false),
                new Program.Node("a", fabric.plug("a", pass, 1 << 16, 8), 1, 0, 0, false),
                new Program.Node("b", fabric.plug("b", pass, 1 << 16, 8), 1, 0, 0, false),
                new Program.Node("out", card, FrameSender.SEND, 0, 0, true));
        List<Stage.Entry> entries = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            entries.add(new Stage.Entry(List.of(new Match(Field.NODE, Match.Test.EQ, node)),
                    List.of(Op.set(Field.NEXT, node + 1))));
        }
        int stream = fabric.streams().open(new Program("chain", nodes, 0, 0, List.of(new Stage(entries))));
        byte[] item = new byte[sizeBytes];
        long before = THREADS.getCurrentThreadCpuTime();
        for (int sent = 0; sent < ITEMS;) {
            if (card.push(stream, item, 0, sizeBytes)) {
                sent++;
            } else {
                fabric.time().step();
            }
        }
        fabric.time().run();
        if (left[0] != ITEMS) {
            throw new IllegalStateException(left[0] + " of " + ITEMS + " items came out");
        }
        return (double) (THREADS.getCurrentThreadCpuTime() - before) / ITEMS;
    }
}
