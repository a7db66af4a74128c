package dev.bascule.cli;

import dev.bascule.local.LocalProtocol;
import dev.bascule.registry.PolicySpec;
import dev.bascule.run.EnclavePlan;
import dev.bascule.run.Misuse;
import dev.bascule.run.Transports;
import java.util.List;
import picocli.CommandLine.Option;

/** Several enclaves in one run. */
final class EnclaveOptions {
    @Option(names = "--enclave", paramLabel = "NAME:CPUS[:KEY=VALUE..]", description = "several enclaves on the run's CPUs, side by side instead of transports one after the other: each has CPUs that no other has, agents, a transport and a policy of its own, and the whole load; as in web:0-1 or batch:2-3:transport=swap:policy=fifo:agents=2. What is not said is as --policy and --agents say and over --transport, of several over on-host. Wants --capacity")
    private List<String> enclaves = List.of();

    @Option(names = "--move", split = ",", paramLabel = "CPU:ENCLAVE@TIME", description = "gives a CPU to another enclave, so long after the first load point began, as soon as nothing runs there: 1:batch@500ms")
    private List<String> moves = List.of();

    /**
     * Plan of the enclaves that the user asked for.
     *
     * @param cpus of the machine
     * @param transports of the run, as {@code policy} and {@code agents}, for enclaves of which nothing else is said
     */
    EnclavePlan plan(int cpus, List<String> transports, PolicySpec policy, int agents) {
        String only = transports.size() == 1 ? transports.getFirst() : LocalProtocol.NAME;
        String transport = only.equals(Transports.NO_AGENT) ? LocalProtocol.NAME : only;
        return EnclavePlan.of(enclaves, moves, cpus,
                new EnclavePlan.One("", List.of(), transport, policy, agents));
    }

    /** Whether none is named. */
    boolean isEmpty() {
        return enclaves.isEmpty();
    }

    /**
     * Checks what enclaves want.
     *
     * @param capacity what a load of 1 is; 0: to be measured
     * @param others options that do not go with them and were given; empty ones were not
     */
    void require(double capacity, List<String> others) {
        if (enclaves.isEmpty()) {
            return;
        }
        if (capacity == 0) {
            throw new Misuse(
                    "--enclave: capacities are not measured beside each other; say what a load of 1 is in each,"
                            + " in requests/s: --capacity 4000");
        }
        others.stream().filter(one -> !one.isEmpty()).findFirst().ifPresent(one -> {
            throw new Misuse("--enclave and " + one + ": leave one out");
        });
    }
}
