package dev.bascule.cli;

import dev.bascule.registry.Durations;
import dev.bascule.workload.lauberhorn.RpcLoad;
import picocli.CommandLine.Option;

/** Options of the calls that a load of demonstration services makes. */
final class CallOptions {
    @Range("0..")
    @Option(names = "--rate", defaultValue = "0", paramLabel = "N", description = "calls per second, each at its time whatever became of those before (open loop); default: closed loop")
    private double rate;

    @Range("1..")
    @Option(names = "--under-way", defaultValue = "8", paramLabel = "N", description = "closed loop: calls under way at a time; default ${DEFAULT-VALUE}")
    private int underWay;

    @Range("1..")
    @Option(names = "--services", defaultValue = "1", paramLabel = "N", description = "services to call, in turn at random; bench starts a process for each; default ${DEFAULT-VALUE}")
    private int services;

    @Range("0s..")
    @Option(names = "--work", defaultValue = "0s", paramLabel = "TIME", description = "how long each call works; default ${DEFAULT-VALUE}")
    private String work = "0s";

    @Range("0..16000")
    @Option(names = "--payload", defaultValue = "0", paramLabel = "BYTES", description = "filling of a call, up to 16000; default ${DEFAULT-VALUE}")
    private int payload;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals, services and losses; default ${DEFAULT-VALUE}")
    private long seed;

    int services() {
        return services;
    }

    long seed() {
        return seed;
    }

    /** @param count calls; 0: until stopped */
    RpcLoad.Plan plan(long count) {
        return new RpcLoad.Plan(count == 0 ? Long.MAX_VALUE : count, rate, underWay, services,
                Durations.parseNanos(work), payload, seed);
    }
}
