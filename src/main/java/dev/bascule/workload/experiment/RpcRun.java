package dev.bascule.workload.experiment;

import dev.bascule.agent.SteeringPolicy;
import dev.bascule.agent.TransportCounters;
import dev.bascule.host.sim.SimActor;
import dev.bascule.host.sim.SimCosts;
import dev.bascule.host.sim.SimLink;
import dev.bascule.host.sim.TimeHistogram;
import dev.bascule.wave.BulkCounters;
import dev.bascule.wave.QueueArea;
import dev.bascule.wave.QueueDirection;
import dev.bascule.wave.QueueEnds;
import dev.bascule.wave.QueueType;
import dev.bascule.wave.WaveQueues;
import dev.bascule.wave.rpc.CoreLink;
import dev.bascule.wave.rpc.RpcCore;
import dev.bascule.wave.rpc.SteeringAgent;
import dev.bascule.workload.JobMix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * RPC steering in virtual time: {@link SteeringAgent} and {@link RpcCore} as they run live, a bulk queue and an MMIO
 * queue for each core. Requests are frames of 64 bytes that say how long they take; they arrive as a Poisson process from
 * so many flows, wait in front of the agent while no core may take the first of them, and are done when the agent has
 * their answer.
 */
final class RpcRun {
    /** Requests a core may have. */
    static final int MOST = 64;
    private static final int FLOWS = 1024;
    private static final int FRAME_BYTES = 64;
    private static final int BURST = 16;
    private static final long CORE_NIC_BYTES = 1 << 15;
    private static final long CORE_HOST_BYTES = 1 << 16;

    final SimLink link;
    final SteeringAgent agent;
    final TimeHistogram latency = new TimeHistogram();
    private final SteeringPolicy policy;
    private final JobMix mix;
    private final SplittableRandom random;
    private final double gapNanos;
    private final long requests;
    private final long warmUp;
    private final MemorySegment frame = MemorySegment.ofArray(new long[FRAME_BYTES / 8]);
    private final MemorySegment answer = MemorySegment.ofArray(new long[FRAME_BYTES / 8]);
    private long arrived;
    private long nextNanos;
    private long answered;
    private boolean drawn;
    private int flow;
    private long firstNanos;
    private long lastNanos;
    private long measured;

    /** Runs so many requests, of which the first fifth does not count. */
    RpcRun(SimCosts costs, SteeringPolicy policy, JobMix mix, int cores, double perSecond, long requests, long seed) {
        this.policy = policy;
        this.mix = mix;
        this.requests = requests;
        warmUp = requests / 5;
        random = new SplittableRandom(seed);
        gapNanos = 1e9 / perSecond;
        QueueArea area = new QueueArea(1, 2 * cores, 0, (cores + 1) * CORE_NIC_BYTES, 0, cores * CORE_HOST_BYTES,
                1 << 14);
        link = new SimLink(costs, area.nicBytes(), area.hostBytes());
        QueueEnds nic = link.nicEnds(area);
        WaveQueues queues = new WaveQueues(link.hostEnds(area));
        List<CoreLink> links = new ArrayList<>();
        List<SimActor> actors = new ArrayList<>();
        for (int core = 0; core < cores; core++) {
            QueueEnds own = link.hostEnds(area);
            int down = queues.create(QueueDirection.TO_HOST, MOST);
            queues.setType(down, QueueType.DMA);
            int up = queues.create(QueueDirection.TO_NIC, MOST);
            RpcCore served = new RpcCore(own.bulkReceiver(queues.open(down), new BulkCounters()),
                    own.messageSender(queues.open(up)), own, this::serve);
            actors.add(served::doWork);
            links.add(new CoreLink(nic.bulkSender(queues.open(down), new BulkCounters()),
                    nic.messageReceiver(queues.open(up), new TransportCounters())));
        }
        agent = new SteeringAgent(new Charged(), links, MOST);
        arm(0);
        link.begin();
        link.run(new Nic(), actors, Math.round(requests * gapNanos * 20) + 1_000_000_000);
    }

    /** The policy, whose decisions take the time of the profile. */
    private final class Charged implements SteeringPolicy {
        @Override
        public int core(int ofFlow) {
            link.charge(link.costs().agent().decision());
            return policy.core(ofFlow);
        }

        @Override
        public void done(int ofFlow, int core) {
            policy.done(ofFlow, core);
        }
    }

    private int serve(MemorySegment memory, long offset, int bytes) {
        link.charge(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + 8));
        return bytes;
    }

    private void arm(long afterNanos) {
        nextNanos = arrived == requests
                ? Long.MAX_VALUE
                : afterNanos + 1 + (long) (-StrictMath.log(1 - random.nextDouble()) * gapNanos);
        drawn = false;
    }

    /** The agent's core: answers first, then what has arrived. */
    private final class Nic implements SimActor {
        @Override
        public int act() {
            long now = link.clock().nanoTime();
            int work = 0;
            while (work < BURST && agent.answer(answer, 0, FRAME_BYTES) > 0) {
                link.charge(link.costs().agent().message());
                done(answer.get(ValueLayout.JAVA_LONG, 0));
                work++;
            }
            int taken = 0;
            while (nextNanos <= now && taken < BURST && steer()) {
                taken++;
            }
            agent.commit();
            return work + taken;
        }

        @Override
        public long nextNanos() {
            return drawn ? Long.MAX_VALUE : nextNanos; // a request that nobody could take waits for an answer
        }
    }

    private boolean steer() {
        if (!drawn) {
            drawn = true;
            flow = random.nextInt(FLOWS);
            frame.set(ValueLayout.JAVA_LONG, 0, nextNanos);
            frame.set(ValueLayout.JAVA_LONG, 8, Math.max(1, Math.round(mix.kinds().get(mix.pick(random)).time()
                    .draw(random))));
        }
        link.charge(link.costs().agent().message());
        if (!agent.steer(flow, frame, 0, FRAME_BYTES)) {
            return false;
        }
        arrived++;
        arm(nextNanos);
        return true;
    }

    private void done(long arrivedNanos) {
        lastNanos = link.clock().nanoTime();
        if (++answered > warmUp) {
            measured++;
            latency.record(lastNanos - arrivedNanos);
        } else {
            firstNanos = lastNanos;
        }
    }

    /** Answers per second after the warm-up. */
    double perSecond() {
        return measured * 1e9 / Math.max(1, lastNanos - firstNanos);
    }

    /** Whether every request was answered. */
    boolean isComplete() {
        return answered == requests;
    }

    double agentBusyPercent() {
        return link.nicBusyNanos() * 100.0 / Math.max(1, lastNanos);
    }
}
