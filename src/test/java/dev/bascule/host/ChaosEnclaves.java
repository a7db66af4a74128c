package dev.bascule.host;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * One seed's run of two enclaves on the CPUs of one machine: each has a transport, a region, a load, agents and faults of its
 * own, and CPUs go from one to the other meanwhile. Besides each one's oracles: no CPU runs tasks of both, and none runs one
 * of an enclave that has given it away.
 */
final class ChaosEnclaves {
    private static final List<String> NAMES = List.of("first", "second");
    /** Enclaves share the carriers. */
    private static final int CARRIERS = 1;

    private final List<ChaosPlan> plans;
    private final Path directory;
    private final ChaosTotals totals;
    private final Enclaves enclaves;
    private final List<ChaosHost> hosts = new ArrayList<>();
    private final List<String> stuck = new ArrayList<>();
    private volatile boolean stop;

    ChaosEnclaves(ChaosPlan plan, Path directory, ChaosTotals totals) {
        plans = List.of(plan, plan.beside());
        this.directory = directory;
        this.totals = totals;
        enclaves = new Enclaves(plan.shape().cpus());
    }

    /** Runs; on a finding what it started is left as it is, for its threads may hang. */
    List<String> run() throws Exception {
        SplittableRandom random = new SplittableRandom(plans.getFirst().seed() * 7);
        open();
        enclaves.start();
        SplittableRandom moves = random.split();
        Thread mover = Thread.ofPlatform().daemon().name("chaos-enclaves").start(() -> move(moves));
        List<Thread> storms = new ArrayList<>();
        for (ChaosHost one : hosts) {
            SplittableRandom own = random.split();
            storms.add(Thread.ofPlatform().daemon().start(() -> one.storm(own, totals, () -> stop)));
        }
        List<String> findings = serve();
        stop = true;
        mover.join();
        for (Thread storm : storms) {
            storm.join();
        }
        findings.addAll(stuck);
        hosts.forEach(one -> findings.addAll(one.load().findings()));
        if (!findings.isEmpty()) {
            hosts.forEach(one -> findings.addAll(one.state(totals)));
            return findings;
        }
        return close();
    }

    private void open() throws Exception {
        int cpus = plans.getFirst().shape().cpus();
        AtomicIntegerArray taskOnCpu = new AtomicIntegerArray(cpus);
        for (int i = 0; i < NAMES.size(); i++) {
            ChaosLoad load = new ChaosLoad(plans.get(i), totals, taskOnCpu);
            Path own = Files.createDirectory(directory.resolve(NAMES.get(i)));
            hosts.add(ChaosHost.open(plans.get(i), own, load, totals, 0, false, CARRIERS));
            int enclave = i;
            int[] mine = IntStream.range(0, cpus).filter(cpu -> cpu % NAMES.size() == enclave).toArray();
            enclaves.add(NAMES.get(i), hosts.get(i).host(), mine);
            for (int cpu = 0; cpu < cpus; cpu++) {
                load.setAway(cpu, Arrays.binarySearch(mine, cpu) < 0);
            }
        }
    }

    private List<String> serve() throws Exception {
        List<String> findings = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(hosts.size())) {
            List<Future<List<String>>> all = new ArrayList<>();
            for (ChaosHost one : hosts) {
                all.add(threads.submit(() -> one.serve(ChaosScenario.PROGRESS_NANOS)));
            }
            for (Future<List<String>> one : all) {
                findings.addAll(one.get());
            }
        }
        return findings;
    }

    /** The one that is given a CPU may run something there before it is told; the other not after. */
    private void move(SplittableRandom random) {
        while (!stop) {
            LockSupport.parkNanos(random.nextLong(5_000_000));
            int cpu = random.nextInt(plans.getFirst().shape().cpus());
            int from = NAMES.indexOf(enclaves.ownerOf(cpu));
            if (enclaves.cpusOf(NAMES.get(from)).size() == 1) {
                continue;
            }
            hosts.get(1 - from).load().setAway(cpu, false);
            try {
                enclaves.move(cpu, NAMES.get(1 - from), ChaosScenario.PROGRESS_NANOS / 2);
                hosts.get(from).load().setAway(cpu, true);
                totals.add(ChaosFault.CPU_MOVED);
            } catch (IllegalStateException e) {
                stuck.add(e.getMessage());
                return;
            }
        }
    }

    private List<String> close() throws Exception {
        enclaves.close();
        List<String> findings = new ArrayList<>();
        for (ChaosHost one : hosts) {
            findings.addAll(one.audit());
            one.session().close();
            for (ChaosSupervisor agent : one.agents()) {
                agent.calm();
                agent.join();
            }
        }
        findings.addAll(ChaosScenario.stillOpen(directory));
        return findings;
    }
}
