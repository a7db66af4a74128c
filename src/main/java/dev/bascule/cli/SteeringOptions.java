package dev.bascule.cli;

import dev.bascule.registry.Durations;
import dev.bascule.registry.PolicySpec;
import dev.bascule.run.Misuse;
import dev.bascule.run.RunAgents;
import dev.bascule.run.SteeringServer;
import dev.bascule.run.Transports;
import dev.bascule.workload.steering.Steering;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How requests get to cores: what {@code rpc serve} and {@code rpc bench} have in common. */
public final class SteeringOptions {
    @Option(names = "--steer", defaultValue = "least-loaded", paramLabel = "HOW", description = "how the agent chooses a request's core: least-loaded, hash (of sender and receiver), class (the procedure) or deadline (earliest first, on whichever core is free); default ${DEFAULT-VALUE}")
    private String steer = "least-loaded";

    @Option(names = "--policy", paramLabel = "NAME|CLASS", description = "another policy for the agent instead of the one that --steer means: any of 'bascule policies', or a class of your own")
    private @Nullable String policy;

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PolicyOption.PATH)
    private List<Path> policyPath = List.of();

    @Option(names = "--policy-option", paramLabel = "KEY=VALUE", description = "option of that policy; for several, repeat it")
    private Map<String, String> policyOptions = new LinkedHashMap<>();

    @Range("1..64")
    @Option(names = "--cores", defaultValue = "2", paramLabel = "N", description = "emulated cores that run handlers; default ${DEFAULT-VALUE}")
    private int cores;

    @Range("1..12")
    @Option(names = "--depth", defaultValue = "4", paramLabel = "N", description = "requests that may lie in a core's own queue, decided and not yet begun, 1 to 12; default ${DEFAULT-VALUE}")
    private int depth;

    @Range("1.." + SteeringServer.MOST_QUEUE)
    @Option(names = "--queue", defaultValue = "1024", paramLabel = "N", description = "requests under way; what comes beyond is refused: queue-full; default ${DEFAULT-VALUE}")
    private int queue;

    @Range("0s..")
    @Option(names = "--late", defaultValue = "1s", paramLabel = "TIME", description = "a request that waited longer is refused: too-late; default ${DEFAULT-VALUE}")
    private String late = "1s";

    @OneOf({ "poll", "sleep" })
    @Option(names = "--idle", defaultValue = "sleep", paramLabel = "HOW", description = "idle cores poll, or sleep until the agent wakes them for a request; default ${DEFAULT-VALUE}")
    private String idle = "sleep";

    @Option(names = "--in-process", description = "the agent is a thread of this process instead of one of its own")
    private boolean inProcess;

    @Range("0s..")
    @Option(names = "--kill-agent", paramLabel = "TIME", description = "kill the agent (SIGKILL) so long after each time that one is at work; requests go on")
    private @Nullable String kill;

    int cores() {
        return cores;
    }

    SteeringServer.Plan plan(String link) {
        if (!Transports.NAMES.contains(link)) {
            throw new Misuse("--link " + link + ": there are " + String.join(", ", Transports.NAMES));
        }
        if (kill != null && inProcess) {
            throw new Misuse("--kill-agent and --in-process: a thread cannot be killed; leave one out");
        }
        Steering steering = steering();
        PolicySpec spec = new PolicySpec(policy == null ? steering.policy() : policy, policyOptions, policyPath)
                .withDefault("work", "1");
        RunAgents.checked(spec); // wrong words are an error here, and a crashed agent later
        return new SteeringServer.Plan(link, steering, spec, cores, depth, queue, Durations.parseNanos(late),
                idle.equals("poll"), inProcess, kill == null ? 0 : Durations.parseNanos(kill));
    }

    /** The usual ones, with an agent's process. */
    public static SteeringServer.Plan plain(String link, int depth) {
        Steering usual = Steering.LEAST_LOADED;
        return new SteeringServer.Plan(link, usual,
                new PolicySpec(usual.policy(), Map.of(), List.of()).withDefault("work",
                        "1"),
                2, depth, 1_024, 1_000_000_000, false, false, 0);
    }

    private Steering steering() {
        return Misuse.reading("--steer", () -> Steering.of(steer));
    }
}
