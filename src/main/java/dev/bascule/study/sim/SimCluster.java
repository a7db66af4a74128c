package dev.bascule.study.sim;

import dev.bascule.agent.Agent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Hosts under one load balancer, in one virtual time: each is a whole {@link SimHost}, with its agents, its transport and, where
 * that has one, its NIC and its link. The balancer takes each job of the load when it arrives, chooses a host by what it knows
 * then, and the job reaches that host a wire later; so does an answer the balancer. Latency is measured at the host, from a job's
 * arrival there: two ways of wire come on top, for all alike.
 *
 * <pre>{@code
 * SimCluster cluster = new SimCluster(8, SimBalance.POWER_OF_TWO, 5_000, 1);
 * List<SimResult> hosts = cluster.run(setup, FifoAgent::new, load);
 * SimResult all = SimResult.together(hosts);
 * }</pre>
 *
 * The same cluster, setup, policy and load give the same results. A round of an agent is simulated from its beginning to its end;
 * of jobs that arrive meanwhile it finds those that the balancer gave away before it began. That is all of them if the wire is
 * longer than the round, or rounds cost nothing; else its next round finds them.
 * <p>
 * Thread rule: a run belongs to one thread; runs know nothing of each other.
 *
 * @param hosts 1 to {@link #MAX_HOSTS}
 * @param balance how hosts are chosen
 * @param wireNanos from balancer to host, and back
 * @param seed of the balancer's own choices
 */
public record SimCluster(int hosts, SimBalance balance, long wireNanos, long seed) {
    /** The most hosts. */
    public static final int MAX_HOSTS = 1024;

    /** Hears of jobs that a host is done with. */
    interface Answers {
        void answered(long nowNanos);
    }

    /** Checks the ranges. */
    public SimCluster {
        if (hosts < 1 || hosts > MAX_HOSTS || wireNanos < 0) {
            throw new IllegalArgumentException("cluster of " + hosts + " hosts with a wire of " + wireNanos
                    + " ns: 1 to " + MAX_HOSTS + " hosts, and no less than 0 ns");
        }
    }

    /**
     * Runs an open load until its last job is done, or until the time is over and each job that the balancer took has come to its
     * host; the setup is that of each host, its seed of churn apart.
     *
     * @return the results, one a host
     * @throws IllegalArgumentException if the load has residents, which no balancer can place
     * @throws IllegalStateException if the hosts have not had every job: the simulation is wrong
     */
    public List<SimResult> run(SimSetup setup, Supplier<? extends Agent> policy, SimLoad load) {
        if (!load.residents().isEmpty()) {
            throw new IllegalArgumentException("cluster: the load has " + load.residents().size()
                    + " residents, and a balancer places only jobs; run it on one host");
        }
        return new Run(this, setup, policy, load).go();
    }

    /** One run: whose event comes first, and who is still busy. */
    private static final class Run {
        private final long wireNanos;
        private final long horizonNanos;
        private final long limitNanos;
        private final SimLoad load;
        private final LoadBalancer balancer;
        private final HostShare[] shares;
        private final SimEngine[] engines;
        private final EventTree first;
        private final SimJob job = new SimJob();
        private long taken;
        private long underWay;

        Run(SimCluster of, SimSetup setup, Supplier<? extends Agent> policy, SimLoad load) {
            this.load = load;
            wireNanos = of.wireNanos;
            horizonNanos = setup.options().horizonNanos();
            limitNanos = horizonNanos + setup.options().drainNanos();
            balancer = new LoadBalancer(of.balance, of.hosts, wireNanos, of.seed);
            shares = new HostShare[of.hosts];
            engines = new SimEngine[of.hosts];
            first = new EventTree(of.hosts);
            for (int i = 0; i < of.hosts; i++) {
                int host = i;
                shares[host] = new HostShare(load, now -> answered(host, now));
                SimChurn churn = new SimChurn(setup.churn().perTaskPerSecond(), setup.churn().seed() + host);
                engines[host] = new SimEngine(setup.withChurn(churn), agent -> policy.get(), shares[host], null);
                engines[host].boot();
                first.set(host, engines[host].nextNanos());
            }
        }

        private void answered(int host, long nowNanos) {
            underWay--;
            balancer.answered(host, nowNanos);
        }

        /** When the balancer has its next job; none reaches its host after the horizon. */
        private long nextJobNanos() {
            long next = load.nextArrivalNanos();
            return next > horizonNanos - wireNanos ? EventTree.NEVER : next;
        }

        List<SimResult> go() {
            while (underWay > 0 || nextJobNanos() != EventTree.NEVER) {
                if (nextJobNanos() < first.firstNanos()) {
                    give();
                } else if (first.firstNanos() <= limitNanos || isOnTheWire()) {
                    int host = first.first();
                    engines[host].step();
                    first.set(host, engines[host].nextNanos());
                } else {
                    break;
                }
            }
            long now = horizonNanos;
            for (SimEngine engine : engines) {
                now = Math.max(now, engine.reachedNanos());
            }
            List<SimResult> results = new ArrayList<>();
            for (SimEngine engine : engines) {
                results.add(engine.end(now));
            }
            check(results);
            return results;
        }

        private boolean isOnTheWire() {
            return Arrays.stream(shares).anyMatch(share -> share.nextArrivalNanos() != SimLoad.NO_MORE);
        }

        private void check(List<SimResult> results) {
            long had = results.stream().map(SimResult::jobs).mapToLong(jobs -> jobs.arrived() + jobs.rejected()).sum();
            if (had != taken) {
                throw new IllegalStateException("cluster of " + engines.length + " hosts: the balancer took " + taken
                        + " jobs and the hosts had " + had + "; the simulation is wrong, please report the command");
            }
        }

        private void give() {
            long now = load.nextArrivalNanos();
            load.take(job);
            int host = balancer.choose(now);
            shares[host].give(Math.max(now + wireNanos, engines[host].reachedNanos()), job);
            taken++;
            underWay++;
            engines[host].offered();
            first.set(host, engines[host].nextNanos());
        }
    }
}
