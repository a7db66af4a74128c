package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A load on services while processes and kernels are killed, the NIC is restarted and cores leave and come back, by hand
 * and by load. Each request carries its owner, which the service checks, and its number, which the load's account checks: it
 * is outside of what it judges.
 */
final class KillScenario {
    private static final int SERVICES = 3;
    private static final int CORES = 3;
    private static final long MINUTE = 60_000_000_000L;
    private static final long CALM_NANOS = 2_000_000;

    private final long requests;
    private final int kills;
    private final long seed;
    private final @Nullable Path directory;
    private final AtomicInteger killed = new AtomicInteger();
    private final int[] of = new int[4];
    private final Process[] children = new Process[SERVICES];
    private final RpcProcess[] processes = new RpcProcess[SERVICES];
    private volatile @Nullable Throwable failure;

    /** @param directory where processes of the operating system join; null: threads */
    KillScenario(long requests, int kills, long seed, @Nullable Path directory) {
        this.requests = requests;
        this.kills = kills;
        this.seed = seed;
        this.directory = directory;
    }

    static final class Demo0 implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(DemoService.number(0));
        }
    }

    static final class Demo1 implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(DemoService.number(1));
        }
    }

    static final class Demo2 implements TestProcess.Maker {
        @Override
        public List<JavaService> services() {
            return List.of(DemoService.number(2));
        }
    }

    private static final List<Class<? extends TestProcess.Maker>> MAKERS = List.of(Demo0.class, Demo1.class,
            Demo2.class);

    /** Runs it; throws what is wrong. Returns what was done. */
    String run() throws InterruptedException, IOException {
        LauberhornConfig config = LauberhornConfig.DEFAULT.withMachine(CORES, SERVICES + 2, 2)
                .withTimes(new LauberhornConfig.Times(15_000_000, MINUTE, MINUTE));
        LauberhornOptions options = LauberhornOptions.DEFAULT.withCriticalNanos(MINUTE)
                .withCores(CoreRange.from(1).withCalmNanos(CALM_NANOS));
        List<WireEnd> cable = Cables.cross();
        RpcLoad load = new RpcLoad(new RpcLoad.Plan(Long.MAX_VALUE, 0, 24, SERVICES, 2_000, 40, seed), nanos -> {});
        try (LauberhornHost host = LauberhornHost.start(config, NicAddress.of(Rig.MAC, Rig.IPV4), cable.get(0),
                directory == null ? options : options.withDirectory(directory))) {
            for (int which = 0; which < SERVICES; which++) {
                start(host, which);
            }
            WireClient client = new WireClient(cable.get(1),
                    WireClient.flow(Rig.MAC + 1, Rig.IPV4 + 1, 5000, Rig.MAC, Rig.IPV4, 700), load::reply);
            Thread killer = Thread.ofPlatform().start(() -> kill(host));
            load.over(client).run(
                    () -> failure != null || load.account().sent() >= requests && killed.get() >= kills, MINUTE);
            killer.join();
            check(host, load);
            return "%,d requests, %d kills (processes %d, kernels %d, NIC %d, cores taken %d; by load %d, %d given back)"
                    .formatted(load.account().sent(), killed.get(), of[0], of[1], of[2], of[3], host.coreUse().left(),
                            host.coreUse().came())
                    + ": answered %,d, refused %,d ".formatted(load.account().answered(), load.account().refused())
                    + reasons(host);
        } finally {
            for (Process child : children) {
                if (child != null) {
                    child.destroyForcibly().waitFor();
                }
            }
        }
    }

    private static String reasons(LauberhornHost host) {
        StringBuilder text = new StringBuilder("(");
        for (Refusal why : Refusal.values()) {
            long count = host.counters().get(why);
            text.append(count == 0 ? "" : why.word() + " " + count + " ");
        }
        return text.append(")").toString();
    }

    private void check(LauberhornHost host, RpcLoad load) {
        String found = "seed " + seed + ", sent " + load.account().sent() + ", answered " + load.account().answered()
                + ", refused " + load.account().refused() + ", twice " + load.account().twice() + ", wrong "
                + load.account().wrong() + ", open " + load.account().open() + ", " + host.describe() + reasons(host);
        assertThat(failure).as(found).isNull();
        assertThat(host.failure()).as(found).isNull();
        assertThat(load.account().isClean()).as(found).isTrue();
        assertThat(host.counters().get(Total.REQUESTS)).as(found).isEqualTo(load.account().sent());
        assertThat(host.counters().get(Total.ANSWERED)).as(found).isEqualTo(load.account().answered());
        assertThat(host.counters().get(Total.REFUSED)).as(found).isEqualTo(load.account().refused());
        assertThat(host.counters().get(Refusal.HANDLER_FAILED)).as("requests of others: " + found).isZero();
        assertThat(host.counters().get(Refusal.BAD_REPLY)).as(found).isZero();
        assertThat(host.inUse()).as(found).isZero();
    }

    private void start(LauberhornHost host, int which) throws IOException {
        Path joined = directory;
        if (joined == null) {
            processes[which] = host.startProcess("demo " + which, DemoService.number(which));
            return;
        }
        int before = host.processes().size();
        children[which] = TestProcess.start(joined, "demo " + which, MAKERS.get(which));
        long deadline = System.nanoTime() + MINUTE;
        while (host.processes().size() == before) {
            LockSupport.parkNanos(1_000_000);
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("process " + which + " did not join");
            }
        }
    }

    private void kill(LauberhornHost host) {
        SplittableRandom random = new SplittableRandom(seed);
        try {
            while (killed.get() < kills && host.failure() == null) {
                awaitShare(host);
                LockSupport.parkNanos(random.nextLong(100_000, 4_000_000));
                int core = random.nextInt(CORES);
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> killProcess(host, random.nextInt(SERVICES));
                    case 3, 4, 5 -> {
                        host.crashKernel(core);
                        of[1]++;
                    }
                    case 6 -> {
                        host.restartNic();
                        of[2]++;
                    }
                    default -> {
                        host.retire(core);
                        LockSupport.parkNanos(random.nextLong(1_000_000));
                        host.admit(core);
                        of[3]++;
                        continue; // nobody died
                    }
                }
                killed.incrementAndGet();
            }
        } catch (RuntimeException | IOException | InterruptedException e) {
            failure = e;
        }
    }

    /** Kills are spread over the whole load: none comes before its share of the requests. */
    private void awaitShare(LauberhornHost host) {
        while (host.counters().get(Total.REQUESTS) < requests / kills * killed.get() && host.failure() == null) {
            LockSupport.parkNanos(100_000);
        }
    }

    private void killProcess(LauberhornHost host, int which) throws IOException, InterruptedException {
        of[0]++;
        if (directory == null) {
            processes[which].kill();
        } else {
            int before = host.processes().size();
            children[which].destroyForcibly().waitFor();
            long deadline = System.nanoTime() + MINUTE;
            while (host.processes().size() == before) {
                LockSupport.parkNanos(100_000);
                if (System.nanoTime() - deadline > 0) {
                    throw new UncheckedIOException(new IOException("nobody noticed that process " + which + " died"));
                }
            }
        }
        start(host, which);
    }
}
