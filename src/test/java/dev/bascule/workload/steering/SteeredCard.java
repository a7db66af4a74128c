package dev.bascule.workload.steering;

import dev.bascule.agent.Agent;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveOptions;
import dev.bascule.host.Session;
import dev.bascule.host.lauberhorn.DirectCalls;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import dev.bascule.workload.lauberhorn.WireClient;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** Services behind a Corundum by its driver and model, steered by an agent on a thread of this process; all is production's. */
final class SteeredCard implements AutoCloseable {
    static final long MAC = 0x0200_4c42_0001L;
    static final int IPV4 = 0x0a07_0001;
    static final int PORT = 700;
    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final List<WireEnd> cable = Cables.cross();
    final SteeredJobs jobs;
    final CardFront front;
    final DirectCalls calls;
    final CorundumModel model = new CorundumModel(CorundumConfig.builder().build(),
            List.of(cable.get(0), WireEnd.OPEN), true);
    private final NicAdapter adapter;
    private LiveHost host;
    private Thread serving;

    /** The card alone: {@link #decide} adds the host. */
    SteeredCard(Steering steering, int most, long lateNanos, List<JavaService> services) {
        this(NicAddress.of(MAC, IPV4), steering, most, lateNanos, services);
    }

    SteeredCard(NicAddress address, Steering steering, int most, long lateNanos, List<JavaService> services) {
        calls = new DirectCalls(services);
        jobs = new SteeredJobs(calls, steering, most, lateNanos, 2_000);
        adapter = Nics.open(LoopbackDevice.open(model));
        Nic port = adapter.openPort(0, NicOptions.DEFAULTS.withRingEntries(1024));
        port.start();
        front = new CardFront(port.rxQueue(0), port.txQueue(0), address, calls, jobs, most,
                port.maxFrameBytes());
    }

    SteeredCard decide(String transport, Supplier<? extends Agent> policy, int cpus, int depth) {
        host = LiveHost.start(session(transport), policy, new EnclaveShape(cpus, 64, 1, 1024, depth),
                LiveOptions.of(1), jobs);
        serving = Thread.ofPlatform().daemon().start(() -> {
            try {
                host.serve(jobs, HOUR_NANOS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        jobs.tells(host::jobsArrived);
        front.start();
        return this;
    }

    static Function<Path, Session> session(String transport) {
        return switch (transport) {
            case WaveProtocol.NAME -> folder -> Session.wave(folder, LinkSetup.DEFAULT, false);
            case SwapProtocol.NAME -> folder -> Session.swap(folder,
                    LinkSetup.DEFAULT.withMode(SwapMode.SWAP_END), false);
            default -> folder -> Session.onHost(folder, false);
        };
    }

    static UdpFlow flow(int client) {
        return WireClient.flow(MAC + 1, IPV4 + 1, 5_000 + client, MAC, IPV4, PORT);
    }

    NicCounters counters() {
        return front.counters();
    }

    /** Whether a request waits for a core. */
    boolean hasArrived() {
        long now = System.nanoTime(); // before: without one it names a time to ask again, which may be over at once
        return jobs.nextDueNanos() <= now;
    }

    /** Works on this thread until something is so. */
    void step(BooleanSupplier done) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!done.getAsBoolean()) {
            if (front.doWork() == 0) {
                LockSupport.parkNanos(10_000);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("it did not come to that within a minute");
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        front.close();
        jobs.close();
        if (host != null) {
            serving.join();
            host.close();
        }
        adapter.close();
    }
}
