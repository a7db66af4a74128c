package dev.bascule.study.lauberhorn;

import dev.bascule.host.LiveHost;
import dev.bascule.host.lauberhorn.LauberhornHost;
import dev.bascule.host.lauberhorn.LauberhornOptions;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.UdpClient;
import dev.bascule.workload.lauberhorn.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Costs of one small RPC on this machine, one path after the other in one run, nothing injected: behind Lauberhorn's
 * NIC, the model on a thread of its own; by this project's Corundum driver and model, polled and by interrupts; on a
 * live host whose agent decides over Wave's queues, by the swap, or over coherent memory; and by a plain socket of the
 * operating system with a thread that serves it.
 */
final class LiveCosts {
    private static final long MAC = 0x0200_4c42_0001L;
    private static final int IPV4 = 0x0a07_0001;
    private static final long PATIENCE_NANOS = 20_000_000_000L;

    private final int count;
    private final long seed;

    LiveCosts(boolean quick, long seed) {
        count = quick ? 2_000 : 50_000;
        this.seed = seed;
    }

    private record Measured(String name, double p50, double p99, double perSecond, boolean isClean, double cpuNanos,
            double instructions, String whyNoInstructions, Served served) {}

    /**
     * Figures of a load that a path itself knows.
     *
     * @param alone decisions that a core took by itself, the agent being late; NaN where no agent decides
     * @param transactions memory transactions of the interconnect; NaN: not counted
     * @param of what is counted, or why nothing is
     */
    private record Served(double alone, double transactions, String of) {}

    /** Serves a load to its end. */
    @FunctionalInterface
    private interface Path {
        Served serve(RpcLoad load) throws IOException, InterruptedException;
    }

    Part run(Consumer<String> progress) {
        List<Measured> all = new ArrayList<>();
        all.add(lauberhorn(1, 1));
        all.add(lauberhorn(8, 1));
        all.add(card(1, false));
        all.add(card(8, false));
        all.add(card(1, true));
        for (int underWay : new int[] { 1, 8 }) {
            all.add(scheduled("Wave", LiveHost::wave, underWay));
            all.add(scheduled("swap", LiveHost::swap, underWay));
            all.add(scheduled("agent on the host", LiveHost::local, underWay));
        }
        all.add(socket(1));
        all.add(socket(8));
        progress.accept("measured here");
        List<LauberhornFigure> figures = new ArrayList<>();
        for (Measured one : all) {
            figures.add(LauberhornFigure.measured(one.name + ": p50", "us", one.p50));
            figures.add(LauberhornFigure.measured(one.name + ": p99", "us", one.p99));
            figures.add(LauberhornFigure.measured(one.name + ": calls", "1/s", one.perSecond));
            figures.add(LauberhornFigure.measured(one.name + ": each call answered once", "", one.isClean ? 1 : 0));
            figures.add(LauberhornFigure.measured(one.name + ": time of CPUs for a call", "ns", one.cpuNanos));
            figures.add(LauberhornFigure.measured(one.name + ": instructions for a call", "", one.instructions)
                    .noted(one.whyNoInstructions));
            figures.add(LauberhornFigure.measured(one.name + ": memory transactions for a call", "",
                    one.served.transactions / count).noted(one.served.of));
            if (!Double.isNaN(one.served.alone)) {
                figures.add(LauberhornFigure.measured(one.name + ": decided without the agent", "%",
                        one.served.alone / count * 100));
            }
        }
        return new Part("e", "Measured here, nothing injected",
                "%,d calls of the demonstration service without work from one client thread, on %d processors; client, NIC and"
                        .formatted(count, Runtime.getRuntime().availableProcessors())
                        + " cores share them, so compare within this run only. Wave, swap and the agent on the host: a live host of one"
                        + " CPU, which decides alone if its agent is late. Time of CPUs and instructions (in user mode, where the"
                        + " machine has a counter) are of the whole path: client, start and waiting threads with it, the time in steps of 10 ms over all calls. Memory"
                        + " transactions are counted by the models of the devices. JVM "
                        + ManagementFactory.getRuntimeMXBean().getVmVersion(),
                figures);
    }

    private Measured measure(String name, int underWay, int services, Path path) {
        long[] latencies = new long[count];
        int[] at = new int[1];
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(count, 0, underWay, services, 0, 0, seed), nanos -> {
            latencies[at[0]] = nanos;
            at[0]++;
        });
        Served served = new Served(Double.NaN, Double.NaN, "");
        double cpuNanos = 0;
        double instructions = Double.NaN;
        String whyNoInstructions = "";
        try (CpuUse spent = new CpuUse()) {
            served = path.serve(load);
            cpuNanos = spent.cpuNanos();
            instructions = spent.instructions();
            whyNoInstructions = spent.whyNot();
        } catch (IOException e) {
            throw new UncheckedIOException(name + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long[] late = Arrays.copyOfRange(latencies, Math.min(at[0], count / 5), at[0]);
        Arrays.sort(late);
        double p50 = late.length == 0 ? Double.NaN : late[late.length / 2] / 1e3;
        double p99 = late.length == 0 ? Double.NaN : late[(int) (late.length * 0.99)] / 1e3;
        return new Measured(name + ", " + underWay + " under way", p50, p99,
                load.account().answered() * 1e9 / load.nanos(), load.account().isClean(),
                cpuNanos / count, instructions / count, whyNoInstructions, served);
    }

    private static void run(RpcLoad load, WireEnd wire) {
        load.over(new WireClient(wire, WireClient.flow(MAC + 1, IPV4 + 1, 5000, MAC, IPV4, 700), load::reply))
                .run(() -> false, PATIENCE_NANOS);
    }

    private Measured lauberhorn(int underWay, int services) {
        return measure("Lauberhorn", underWay, services, load -> {
            List<WireEnd> cable = Cables.cross();
            try (WireEnd near = cable.get(0);
                    WireEnd far = cable.get(1);
                    LauberhornHost host = LauberhornHost.start(LauberhornConfig.DEFAULT.withMachine(1, services, 1),
                            NicAddress.of(MAC, IPV4), near, LauberhornOptions.DEFAULT)) {
                for (int which = 0; which < services; which++) {
                    host.startProcess("demo " + which, DemoService.number(which));
                }
                run(load, far);
                return new Served(Double.NaN, host.linesMoved(), "lines that went to cores or were taken back");
            }
        });
    }

    private Measured card(int underWay, boolean sleeps) {
        String how = sleeps ? "interrupt" : "polled";
        return measure("Corundum's driver and model, " + how, underWay, 1, load -> {
            List<WireEnd> cable = Cables.cross();
            try (WireEnd far = cable.get(1); CardServer server = new CardServer(cable.get(0), sleeps)) {
                run(load, far);
                return new Served(Double.NaN, server.transactions(), "DMA operations, doorbells and interrupts");
            }
        });
    }

    private Measured scheduled(String name, ScheduledServer.Transport transport, int underWay) {
        return measure(name, underWay, 1, load -> {
            try (ScheduledServer server = new ScheduledServer(transport)) {
                run(load, server);
                return new Served(server.decidedAlone(), Double.NaN,
                        "frames and decisions go by memory of the host: no device that counts");
            }
        });
    }

    private Measured socket(int underWay) {
        return measure("UDP socket and a thread", underWay, 1, load -> {
            try (SocketServer server = SocketServer.start();
                    UdpClient client = new UdpClient(new InetSocketAddress("127.0.0.1", server.port()), load::reply)) {
                load.over(client).run(() -> false, PATIENCE_NANOS);
                return new Served(Double.NaN, Double.NaN, "the kernel's loopback: no device that counts");
            }
        });
    }
}
