package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The tests over libibverbs, by soft-RoCE: those of tag "rdma" in one virtual machine, and the conformance suite, the
 * longest, in a machine of its own. With BASCULE_LAB_MORE=1 also those of tag "rdma-pair" in one of two machines that a wire
 * connects, which take long.
 */
final class RdmaLane {
    private static final String LANE = "rdma";
    private static final String AGENT = "dev.bascule.lab.RdmaPair";
    private static final String SUITE = "dev.bascule.host.RdmaVerbsConformanceTest";
    private static final long BOOT_SECONDS = 120;
    private static final String SECONDS = "900";
    private static final List<String> ALONE = alone();

    private final Clone clone;
    private final MachineJvm jvm;

    RdmaLane(Clone clone, MachineJvm jvm) {
        this.clone = clone;
        this.jvm = jvm;
    }

    private static List<String> alone() {
        List<String> words = new ArrayList<>(
                List.of("--no-devices", "--rdma", "10.9.0.1", "--timeout", MachineJvm.seconds(SECONDS)));
        if (LabLane.more()) {
            words.addAll(List.of("--env", LabLane.MORE + "=1"));
        }
        return List.copyOf(words);
    }

    LaneResult run() throws IOException, InterruptedException {
        Program setUp = clone.program("rdma-set-up",
                List.of(clone.script("lab").toString(), "--set-up", "--rdma"));
        if (setUp.run(LANE, log -> "setting up") != 0) {
            return LaneResult.skipped(LANE, setUp.lastLine());
        }
        Path reports = clone.freshReports(LANE);
        jvm.prepare(LANE);
        int status = jvm.tests(LANE, ALONE,
                clone.classesTagged(LANE).stream().filter(name -> !name.equals(SUITE)).toList(), reports)
                .run(LANE, log -> "");
        if (LabLane.more()) {
            status = Math.max(status, pair(reports));
        }
        System.err.println("bascule: lane rdma: the conformance suite");
        status = Math.max(status, jvm.apart(LANE, "suite", ALONE, List.of(SUITE), reports));
        return LaneResult.ofTests(LANE, Reports.of(reports), status, "output in " + clone.log("lane-" + LANE + "*"));
    }

    /** The machine of the agent listens for the wire of the other, and ends when its tests have asked it to. */
    private int pair(Path reports) throws IOException, InterruptedException {
        System.err.println("bascule: lane rdma: two machines");
        Path folder = Files.createTempDirectory("bascule-wire"); // a short name: sockets have no long ones
        Path wire = folder.resolve("wire");
        Program other = jvm.boot("rdma-agent", List.of("--no-devices", "--rdma", "10.9.0.2", "--wire",
                "listen:" + wire, "--timeout", MachineJvm.seconds(SECONDS)), AGENT);
        Thread agent = Thread.ofPlatform().start(() -> {
            try {
                other.run("rdma-agent", log -> "");
            } catch (IOException e) {
                System.err.println("bascule: the machine of the agent: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // ended with this JVM, or with the tests
            }
        });
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOOT_SECONDS);
            while (!Files.exists(wire) && agent.isAlive() && System.nanoTime() < deadline) {
                Thread.sleep(100);
            }
            int status = jvm.apart(LANE, "pair", List.of("--no-devices", "--rdma", "10.9.0.1", "--wire",
                    "connect:" + wire, "--timeout", MachineJvm.seconds(SECONDS)), clone.classesTagged("rdma-pair"),
                    reports);
            agent.join(TimeUnit.SECONDS.toMillis(20));
            return status;
        } finally {
            agent.interrupt();
            agent.join();
            Clone.delete(folder);
        }
    }
}
