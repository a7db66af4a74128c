package dev.bascule.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

/** One seed's run: a host, or several one after the other, its load and its faults; then the oracles. */
final class ChaosScenario {
    /** Long past what a busy machine needs: only a job that never ends takes it. */
    static final long PROGRESS_NANOS = 60_000_000_000L;

    private final ChaosPlan plan;
    private final Path directory;
    private final ChaosTotals totals;
    private final List<ChaosSupervisor> agents = new ArrayList<>();
    private volatile boolean gaveUp;

    ChaosScenario(ChaosPlan plan, Path directory, ChaosTotals totals) {
        this.plan = plan;
        this.directory = directory;
        this.totals = totals;
    }

    /** Runs; on a finding what it started is left as it is, for its threads may hang. */
    List<String> run() throws Exception {
        for (int host = 0; host <= plan.restarts(); host++) {
            List<String> findings = serve(host);
            if (!findings.isEmpty()) {
                return findings;
            }
        }
        for (ChaosSupervisor agent : agents) {
            agent.calm();
            agent.join();
        }
        return stillOpen(directory);
    }

    /** Mappings are gone when their files are closed. */
    static List<String> stillOpen(Path directory) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.map(ChaosScenario::target).filter(file -> file.startsWith(directory))
                    .map(file -> "still open: " + file).toList();
        }
    }

    private static Path target(Path link) {
        try {
            return Files.readSymbolicLink(link);
        } catch (IOException e) {
            return link; // closed meanwhile
        }
    }

    private List<String> serve(int number) throws Exception {
        SplittableRandom random = new SplittableRandom(plan.seed() * 7 + number);
        boolean crash = plan.crash() && number < plan.restarts();
        long longest = crash ? plan.loadNanos() / 8 + random.nextLong(plan.loadNanos()) : PROGRESS_NANOS;
        ChaosLoad load = new ChaosLoad(plan, totals, new AtomicIntegerArray(plan.shape().cpus()));
        ChaosHost one = ChaosHost.open(plan, directory, load, totals, number, crash,
                plan.polling() ? carriers() : plan.shape().cpus());
        if (number > 0) {
            totals.add(ChaosFault.HOST_RESTART, "with epoch " + one.end().epoch());
        }
        agents.addAll(one.agents());
        one.host().start();
        ChaosCpus cpus = new ChaosCpus(plan, one.host().cpus(), load, totals, random.split());
        Thread storm = Thread.ofPlatform().daemon().start(() -> one.storm(random, totals, () -> gaveUp));
        List<String> findings = new ArrayList<>(one.serve(longest));
        if (crash && !findings.isEmpty() && !one.host().hasFailed()) {
            findings.clear(); // it was to be cut off
            totals.add(ChaosFault.HOST_CRASH, "in epoch " + one.end().epoch());
            load.cutOff();
        }
        cpus.end();
        findings.addAll(load.findings());
        if (!findings.isEmpty()) {
            gaveUp = true;
            storm.join();
            findings.addAll(one.state(totals));
            return findings;
        }
        if (!crash) {
            storm.join();
        }
        one.host().close();
        findings.addAll(one.audit());
        one.session().close();
        storm.join();
        return findings;
    }

    /** Carriers of this JVM. */
    private static int carriers() {
        return Integer.getInteger("jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    }
}
