package dev.bascule.bench;

import java.util.List;

/** All workloads of two threads, and the comparisons made on them. */
final class Rows {
    private static final String SPEED = "issue 2, Speed and memory";
    private static final String NIC = "issue 5, Speed";
    private static final String SWAP = "issue 3, Speed";
    /** On hardware the CPU combines and caches; here code does, and its time is in the figure. */
    private static final String EMULATED = "for information: memory types emulated by code";

    /** Every workload; a forked process finds its own here by name. */
    static final List<Workload> WORKLOADS = List.of(new LineWorkload(), new RingWorkload(1), new RingWorkload(8),
            new RingWorkload(32), new PeerRingWorkload(1), new PeerRingWorkload(8), new PeerRingWorkload(32),
            new DecisionWorkload("on-host"), new DecisionWorkload("wave"), new DecisionWorkload("swap0"),
            new DecisionWorkload("swap1"), new DecisionWorkload("wave-emulated"),
            new DecisionWorkload("swap0-emulated"), new DecisionWorkload("swap1-emulated"), new CndmWorkload(true),
            new CndmWorkload(false), new CorundumWorkload(), new CorundumModelWorkload(), new EnsoWorkload(64, false),
            new EnsoWorkload(64, true), new LauberhornWorkload());

    /** Every comparison. */
    static final List<Row> ROWS = List.of(
            new Row("ping-pong", "line", "java ping-pong", "c ping-pong", 1.10, false, SPEED),
            new Row("line-swap", "line", "java swap", "c swap", 1.25, false, "performance goals"),
            new Row("exchange", "line", "java exchange", "c exchange", 1.20, false, SWAP),
            new Row("exchange/swap", "line", "java exchange", "java swap", 0.60, false, SWAP),
            new Row("ring-1", "ring-1", "java", "c", 1.25, Goal.of(1.15), true, SPEED),
            new Row("ring-8", "ring-8", "java", "c", 1.25, Goal.of(1.10), true, SPEED),
            new Row("ring-32", "ring-32", "java", "c", 1.25, Goal.of(0.90), true, SPEED),
            new Row("decision/on-host", "decision-on-host", "decision", "line round trip", 3, new Goal(3, 2), false,
                    SPEED),
            new Row("decision/wave", "decision-wave", "decision", "line round trip", 3, new Goal(3, 2.2), false, SPEED),
            new Row("decision/swap0", "decision-swap0", "decision", "line round trip", Double.NaN, new Goal(5, 3.5),
                    false,
                    "1.3 times two"
                            + " round trips and the policy"),
            new Row("decision/swap1", "decision-swap1", "decision", "line round trip", Double.NaN, new Goal(4.5, 3),
                    false,
                    "for information"),
            new Row("decision/wave-emulated", "decision-wave-emulated", "decision", "line round trip", Double.NaN,
                    false, EMULATED),
            new Row("decision/swap0-emulated", "decision-swap0-emulated", "decision", "line round trip", Double.NaN,
                    false, EMULATED),
            new Row("decision/swap1-emulated", "decision-swap1-emulated", "decision", "line round trip", Double.NaN,
                    false, EMULATED),
            new Row("ring-1/jctools", "peer-ring-1", "java", "jctools", 0.333, Goal.of(0.33), false, SPEED),
            new Row("ring-8/jctools", "peer-ring-8", "java", "jctools", 0.333, Goal.of(0.33), false, SPEED),
            new Row("ring-32/jctools", "peer-ring-32", "java", "jctools", 0.333, Goal.of(0.33), false, SPEED),
            new Row("ring-1/agrona", "peer-ring-1", "java", "agrona", 0.333, Goal.of(0.33), false, SPEED),
            new Row("ring-8/agrona", "peer-ring-8", "java", "agrona", 0.333, Goal.of(0.33), false, SPEED),
            new Row("ring-32/agrona", "peer-ring-32", "java", "agrona", 0.333, Goal.of(0.33), false, SPEED),
            new Row("enso-echo", "enso-echo-64", "java", "c", 1.25, Goal.of(1.15), false, "issue 7, Speed"),
            // 2.5 times the packets of the same echo on packet queues
            new Row("enso-packets", "enso-packets-64", "java", "packets", 0.4, false, "issue 7, Speed"),
            // 0.75 of the packets that C forwards in the same time
            new Row("corundum-driver", "corundum", "java", "c", 1.0 / 0.75, Goal.of(1.15), false, NIC),
            // 0.9 of the packets that C forwards in the same time
            new Row("cndm-driver", "cndm-model", "java", "c", 1.0 / 0.9, false, "issue 45"),
            new Row("cndm-rings", "cndm-rings", "java", "c", Double.NaN, false, "for information: the driver alone"),
            new Row("lauberhorn/dispatch", "lauberhorn", "java", "c", 1.25, false, "issue 21"),
            new Row("corundum-model", "corundum-model", "java", "", Double.NaN, false, "for information"));

    private Rows() {}

    static Workload workload(String name) {
        return WORKLOADS.stream().filter(w -> w.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no workload " + name));
    }
}
