package dev.bascule.cli;

import dev.bascule.config.HardwareConfig;
import dev.bascule.registry.Durations;
import dev.bascule.run.AgentWait;
import dev.bascule.run.Misuse;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How long a run's CPUs wait for their agent. */
final class WaitOptions {

    @Option(names = "--patient", description = "wait for the agent as long as it takes: no fallback of the host while there is an agent, and none is fenced for silence. For a debugger, and for machines whose cores are busy elsewhere")
    private boolean patient;

    @Range("1us..60s")
    @Option(names = "--window", paramLabel = "TIME", description = "how long a CPU waits for the agent before the host decides by itself; default: the configuration's (200us), and 10ms if host CPUs and agents leave no core to anything else, as then an agent waits for its core by the kernel's time slices")
    private @Nullable String window;

    /**
     * Wait that the options describe.
     *
     * @param cpus threads that run the host's CPUs
     * @param agents on this machine
     * @param cores that this process may use
     */
    AgentWait choose(HardwareConfig.Watchdog configured, int cpus, int agents, int cores) {
        if (window == null) {
            return patient ? AgentWait.patient() : AgentWait.of(configured, cpus, agents, cores);
        }
        if (patient) {
            throw new Misuse("--patient and --window: it waits as long as it takes, or so long; leave one out");
        }
        return AgentWait.given(Durations.parseNanos(window), configured);
    }
}
