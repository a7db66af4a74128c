package dev.bascule.cli;

import dev.bascule.ffi.Affinity;
import dev.bascule.memory.Numa;
import dev.bascule.run.CpuSet;
import dev.bascule.run.Failure;
import dev.bascule.run.Lanes;
import dev.bascule.run.Summary;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many queues of a port a command uses, and which cores serve them. */
final class QueueOptions {
    @Range("1..1024")
    @Option(names = "--queues", defaultValue = "1", paramLabel = "N", description = "queues of each port, each served by a thread of its own where there are several; the card spreads flows over them (RSS); default ${DEFAULT-VALUE}")
    private int queues = 1;

    @Option(names = "--cores", paramLabel = "LIST", description = "cores of those threads, such as 2,3 or 4-7, in turn; default: any of the card's NUMA node")
    private @Nullable String cores;

    int count() {
        return queues;
    }

    /** For each queue the cores of its thread, empty for any; on the card's node if nothing else was said. */
    List<BitSet> cores(int node) {
        BitSet allowed = Affinity.current();
        String wanted = cores;
        List<BitSet> chosen = new ArrayList<>();
        if (wanted == null) {
            BitSet near = new Numa().cpusOf(node);
            near.and(allowed);
            boolean everywhere = near.cardinality() == allowed.cardinality();
            for (int i = 0; i < count(); i++) {
                chosen.add(everywhere ? new BitSet() : near);
            }
            return chosen;
        }
        List<Integer> list = CpuSet.parse("--cores", wanted);
        for (int core : list) {
            if (!allowed.get(core)) {
                throw new Failure("--cores " + wanted + ": this process may not run on core " + core + "; it may on "
                        + CpuSet.text(allowed));
            }
        }
        for (int i = 0; i < count(); i++) {
            BitSet one = new BitSet();
            one.set(list.get(i % list.size()));
            chosen.add(one);
        }
        return chosen;
    }

    /** Adds a figure for each queue, if there are several. */
    void describe(Summary summary, Lanes lanes, double seconds, List<Map<String, Long>> statistics) {
        if (lanes.count() == 1) {
            return;
        }
        List<Summary.Row> rows = new ArrayList<>();
        for (int i = 0; i < lanes.count(); i++) {
            Summary.Row row = new Summary.Row("queue " + i);
            row.put("queue", i).put("cores", lanes.cores(i)).put("packets", lanes.packets(i))
                    .put("packets per second", lanes.packets(i) / seconds);
            for (String counter : List.of("rx_queue_%d_packets", "tx_queue_%d_packets", "rx_queue_%d_no_room",
                    "tx_queue_%d_no_room")) {
                String name = counter.formatted(i);
                long sum = statistics.stream().mapToLong(one -> one.getOrDefault(name, 0L)).sum();
                row.put(counter.replace("_queue_%d_", " ").replace('_', ' '), sum);
            }
            rows.add(row);
        }
        summary.put("queues", rows);
    }
}
