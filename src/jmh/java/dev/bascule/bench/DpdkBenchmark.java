package dev.bascule.bench;

import com.sun.management.ThreadMXBean;
import dev.bascule.app.L2Forward;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.dpdk.DpdkEal;
import dev.bascule.nic.dpdk.DpdkNic;
import dev.bascule.nic.dpdk.DpdkOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A forwarding loop that swaps the stations of each packet, on DPDK's null port and ring port: Java through the packet
 * API against C with DPDK's inlined bursts, alternating in one process.
 */
final class DpdkBenchmark implements Benchmark {
    private static final String SOURCE = "issue 7, Speed";
    private static final int WINDOW_PACKETS = 200_000;
    private static final Map<String, Double> LIMITS = Map.of("dpdk-null-32", 1 / 0.80, "dpdk-null-8", 1 / 0.75,
            "dpdk-null-1", 1 / 0.65, "dpdk-ring-32", 1 / 0.60);

    @Override
    public List<String> rows() {
        return LIMITS.keySet().stream().sorted().toList();
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        String missing = DpdkEal.missing().orElse("");
        Path library = session.work().resolve("libbascule-dpdk-loop.so");
        if (missing.isEmpty() && !compile(session.home().resolve("native/bench/dpdk/loop.c"), library)) {
            missing = "no C twin: needs cc, pkg-config and DPDK's headers: apt-get install gcc pkg-config libdpdk-dev";
        }
        if (!missing.isEmpty()) {
            String why = missing;
            return wanted.stream().sorted()
                    .map(row -> Result.notMeasured(row, "ns", LIMITS.getOrDefault(row, Double.NaN), why)).toList();
        }
        List<Result> results = new ArrayList<>();
        for (String row : wanted.stream().sorted().toList()) {
            results.add(measure(session, row, library));
        }
        return results;
    }

    private static boolean compile(Path source, Path library) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", "cc -O3 -march=native -fPIC -shared -w $(pkg-config --cflags "
                + "libdpdk) -o " + library + " " + source
                + " -lrte_ethdev -lrte_mbuf -lrte_mempool -lrte_ring -lrte_eal")
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return process.waitFor(120, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    private static Result measure(Session session, String row, Path library) throws IOException, InterruptedException {
        List<Double> java = new ArrayList<>();
        List<Double> c = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        double bytes = 0;
        int windows = 0;
        for (int i = 0; i < session.processes(); i++) {
            List<String> lines = Forks.run(Forks.java(List.of(), DpdkBenchmark.class.getName(), row,
                    library.toString(), Integer.toString(session.millis())), session, 60);
            String[] fields = lines.get(lines.size() - 1).split("\t");
            java.add(Double.parseDouble(fields[0]));
            c.add(Double.parseDouble(fields[1]));
            ratios.add(Double.parseDouble(fields[2]));
            windows += Integer.parseInt(fields[3]);
            bytes = Math.max(bytes, Double.parseDouble(fields[4]));
        }
        return new Result(row, "ns", "", Stats.median(java), Stats.median(c), "c", Stats.median(ratios),
                Stats.max(ratios), LIMITS.getOrDefault(row, Double.NaN), false, windows, java.size(), SOURCE
                        + "; Java allocates %.3f B a packet".formatted(bytes));
    }

    /**
     * In the forked process: row, library, milliseconds. Prints ns per packet of Java and C, their ratio, windows, bytes per
     * packet that Java allocated.
     */
    public static void main(String[] args) throws Throwable {
        String port = args[0].contains("ring") ? "net_ring0" : "net_null0";
        int burst = Integer.parseInt(args[0].substring(args[0].lastIndexOf('-') + 1));
        int cpu = Cpus.allowed().get(0);
        DpdkEal eal = DpdkEal.start(List.of("--no-huge", "-m", "256", "--no-pci", "--no-telemetry", "--no-shconf",
                "--lcores", "0@(" + cpu + ")", "--log-level", "error", "--vdev=" + port));
        Cpus.pin(cpu);
        eal.registerThread();
        DpdkNic nic = eal.open(port, new DpdkOptions(1, 1024, 8191, 2048, false));
        nic.start();
        if (port.equals("net_ring0")) {
            seed(nic);
        }
        ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), new L2Forward(), burst);
        MethodHandle twin = twin(args[1]);
        long number = eal.ports().indexOf(port);
        long end = System.nanoTime() + Long.parseLong(args[2]) * 3_000_000;
        Map<String, List<Double>> figures = new HashMap<>(
                Map.of("java", new ArrayList<>(), "c", new ArrayList<>(), "ratio", new ArrayList<>()));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = 0;
        for (int window = 0; System.nanoTime() - end < 0 || window < 40; window++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            double java = java(loop);
            allocated += window >= 30 ? threads.getCurrentThreadAllocatedBytes() - before : 0;
            double c = c(twin, number, burst);
            if (window >= 30) {
                figures.get("java").add(java);
                figures.get("c").add(c);
                figures.get("ratio").add(java / c);
            }
        }
        System.out.println(Stats.median(figures.get("java")) + "\t" + Stats.median(figures.get("c")) + "\t"
                + Stats.median(figures.get("ratio")) + "\t" + figures.get("ratio").size() + "\t"
                + (double) allocated / WINDOW_PACKETS / figures.get("ratio").size());
        eal.close();
    }

    /** Packets that go round. */
    private static void seed(DpdkNic nic) {
        PacketBatch batch = new PacketBatch(512);
        int got = nic.txQueue(0).allocate(batch, 512);
        for (int i = 0; i < got; i++) {
            batch.setLength(i, 64);
        }
        nic.txQueue(0).write(batch);
        nic.txQueue(0).commit();
    }

    private static double java(ProcessorLoop loop) {
        long start = System.nanoTime();
        long done = 0;
        while (done < WINDOW_PACKETS) {
            done += loop.run();
        }
        return (double) (System.nanoTime() - start) / done;
    }

    private static double c(MethodHandle twin, long port, long burst) throws Throwable {
        long start = System.nanoTime();
        long done = (long) twin.invokeExact(port, port, burst, (long) WINDOW_PACKETS);
        return (double) (System.nanoTime() - start) / done;
    }

    private static MethodHandle twin(String library) {
        return Linker.nativeLinker().downcallHandle(
                SymbolLookup.libraryLookup(Path.of(library), Arena.global()).findOrThrow("dpdk_forward"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    }
}
