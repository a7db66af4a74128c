package dev.bascule.cli;

import dev.bascule.registry.Durations;
import dev.bascule.report.LatencyHistogram;
import dev.bascule.workload.lauberhorn.RpcLoad;
import picocli.CommandLine.Option;

/** The calls of a load: what {@code load} and {@code bench} have in common. */
final class LauberhornCalls {
    @Option(names = "--services", defaultValue = "1", paramLabel = "N", description = "services to call, in turn at random; bench starts a process for each; default ${DEFAULT-VALUE}")
    private int services;

    @Option(names = "--rate", defaultValue = "0", paramLabel = "N", description = "calls per second, each at its time whatever became of those before (open loop); default: closed loop")
    private double rate;

    @Option(names = "--under-way", defaultValue = "8", paramLabel = "N", description = "closed loop: calls under way at a time; default ${DEFAULT-VALUE}")
    private int underWay;

    @Option(names = "--work", defaultValue = "0s", paramLabel = "TIME", description = "how long each call works; default ${DEFAULT-VALUE}")
    private String work = "0s";

    @Option(names = "--payload", defaultValue = "0", paramLabel = "BYTES", description = "filling of a call, up to 16000; default ${DEFAULT-VALUE}")
    private int payload;

    @Option(names = "--seed", defaultValue = "1", paramLabel = "N", description = "arrivals and services; default ${DEFAULT-VALUE}")
    private long seed;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    int services() {
        return services;
    }

    boolean json() {
        return json;
    }

    /** The load of so many calls. */
    RpcLoad load(long count, LatencyHistogram latency) {
        try {
            return new RpcLoad(
                    new RpcLoad.Plan(count, rate, underWay, services, Durations.parseNanos(work), payload, seed),
                    latency::record);
        } catch (IllegalArgumentException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }
}
