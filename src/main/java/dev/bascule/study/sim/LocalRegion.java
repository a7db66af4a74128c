package dev.bascule.study.sim;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.local.LocalAgent;
import dev.bascule.local.LocalHost;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.ring.Waiter;

/**
 * Coherent memory in the simulation. The live ends work on real memory, in which a store is there at once; gates keep a
 * message or decision from being seen before the virtual time of its store. The line of a message crosses before the agent
 * looks at it, that of a decision when its CPU does; that of an outcome is part of the agent's figure for a decision.
 */
final class LocalRegion extends SimRegion {
    private final EnclaveShape shape;
    private final SimTime time;
    private final SimCosts costs;
    private final SimSignals signals;
    private final SocketCosts sockets;
    private final PinnedMemory memory;
    private final LongRing[] messages;
    private final LongRing[] decisions;
    private final LongRing[] kicks;
    private final LongRing[] writers;
    private final int[] agentSocket;
    private final CpuSet settled;
    private final long[] sleepKnownNanos;
    private final SimHostEnd host;
    private long attached;

    LocalRegion(EnclaveShape shape, SimCosts costs, SimTime time, SimSignals signals) {
        super(costs);
        this.shape = shape;
        this.time = time;
        this.costs = costs;
        this.signals = signals;
        sockets = new SocketCosts(shape.topology(), costs, time);
        writers = rings(sockets.hasOthers() ? shape.agents() : 0, shape.channelEntries());
        agentSocket = new int[shape.agents()];
        messages = rings(shape.agents(), shape.channelEntries());
        decisions = rings(shape.cpus(), shape.staged());
        kicks = rings(shape.cpus(), shape.staged());
        settled = new CpuSet(shape.cpus());
        sleepKnownNanos = new long[shape.cpus()];
        memory = PinnedMemory.allocate(LocalHost.sizeBytes(shape));
        host = new Host(LocalHost.open(memory, shape, Waiter.NAPS));
    }

    private static LongRing[] rings(int count, int capacity) {
        LongRing[] rings = new LongRing[count];
        for (int i = 0; i < count; i++) {
            rings[i] = new LongRing(capacity);
        }
        return rings;
    }

    @Override
    MechanismEnd host() {
        return host;
    }

    @Override
    AgentEnd attach(int agent) {
        return new OnHost(LocalAgent.attach(memory, agent, ++attached, cpu -> ringSleeper((int) cpu)));
    }

    /** A CPU whose store lies ahead of this moment does not sleep yet: it will look once more. */
    private void ringSleeper(int cpu) {
        if (sleepKnownNanos[cpu] <= time.nanoTime()) {
            ring(cpu);
        }
    }

    /** Until a CPU leaves what it does: one that polls sees the line, any other gets an interrupt. */
    private long noticeNanos(int cpu) {
        return signals.isPolling(cpu) ? costs.link().coherentLine() : costs.kernel().interprocessor();
    }

    /** An interrupt that is sent; a CPU that polls gets none. */
    private long sendNanos(int cpu) {
        return signals.isPolling(cpu) ? 0 : costs.agent().interrupt();
    }

    @Override
    void ring(int cpu) {
        time.charge(sendNanos(cpu));
        bus.interrupts++;
        signals.ring(cpu, time.nanoTime() + noticeNanos(cpu) + sockets.interruptNanos(cpu));
    }

    @Override
    long receiveNanos() {
        return 0; // kernel.interprocessor has it
    }

    @Override
    void begin() {
        host.begin();
    }

    @Override
    long pollNanos() {
        return costs.kernel().poll();
    }

    @Override
    long sampleNanos() {
        return 0;
    }

    @Override
    long lookAt(int cpu, long nanos) {
        return nanos;
    }

    @Override
    long look(int cpu) {
        return time.nanoTime(); // its cache holds the line until the agent writes it
    }

    @Override
    long sampleDue(int cpu) {
        return EventTree.NEVER;
    }

    @Override
    void sample(int cpu) {
        // no prefetches
    }

    @Override
    long sleepKnownNanos(int cpu) {
        return sleepKnownNanos[cpu];
    }

    @Override
    int socketOfAgent(int agent) {
        return agentSocket[agent];
    }

    @Override
    boolean isQuiet(int agent, long nowNanos) {
        return (messages[agent].isEmpty() || messages[agent].peek() > nowNanos) && settled.next(0) == CpuSet.NONE;
    }

    @Override
    long nextArrival(int agent) {
        return messages[agent].isEmpty() ? EventTree.NEVER : messages[agent].peek();
    }

    /** The host's end: posts open the agent's gate when their time has come. */
    private final class Host extends SimHostEnd {
        private final int[] open = new int[shape.agents()];

        Host(RegionHost end) {
            super(end, LocalRegion.this.time, LocalRegion.this.costs, LocalRegion.this.signals,
                    LocalRegion.this.costs.link().coherentLine(), true);
        }

        @Override
        public boolean post(int agent, Message message) {
            boolean fits = super.post(agent, message);
            open[agent] += fits ? 1 : 0;
            return fits;
        }

        @Override
        public void commit() {
            for (int agent = 0; agent < open.length; agent++) {
                for (; open[agent] > 0; open[agent]--) {
                    messages[agent].add(arrivesNanos());
                    if (sockets.hasOthers()) {
                        writers[agent].add(time.socket());
                    }
                }
            }
            super.commit();
        }

        @Override
        public boolean enterSleep(int cpu) {
            super.enterSleep(cpu); // what it finds may lie ahead of this moment
            sleepKnownNanos[cpu] = time.nanoTime();
            return isDecided(cpu);
        }

        @Override
        public void leaveSleep(int cpu) {
            super.leaveSleep(cpu);
            sleepKnownNanos[cpu] = EventTree.NEVER;
        }

        /** An interrupt's word counts from the time of its store: the one in memory may lie ahead of this moment. */
        @Override
        public boolean isKicked(int cpu) {
            LongRing gate = kicks[cpu];
            boolean isKicked = false;
            while (!gate.isEmpty() && gate.peek() <= time.nanoTime()) {
                gate.poll();
                isKicked = true;
            }
            super.isKicked(cpu);
            return isKicked;
        }

        /** Whether a decision has been written by now; one that was withdrawn stands there until the CPU looks. */
        private boolean isDecided(int cpu) {
            LongRing gate = decisions[cpu];
            return !gate.isEmpty() && (gate.peek() ^ gate.peek() >> 63) <= time.nanoTime();
        }

        @Override
        public boolean poll(int cpu, Transaction into) {
            if (!isDecided(cpu)) {
                return false;
            }
            LongRing gate = decisions[cpu];
            boolean isThere = false;
            while (!isThere && isDecided(cpu)) {
                isThere = gate.poll() >= 0;
            }
            time.charge(costs.link().coherentLine() + sockets.lineNanos(agentSocket[shape.agentOf(cpu)]));
            return (isThere || gate.isEmpty()) && super.poll(cpu, into);
        }

        @Override
        public void settle(Transaction decision, Outcome outcome) {
            super.settle(decision, outcome);
            settled.add(decision.slotCpu());
        }

        @Override
        public int openEpoch(int agent) {
            messages[agent].clear();
            if (sockets.hasOthers()) {
                writers[agent].clear();
            }
            for (int cpu : shape.cpusOf(agent)) {
                decisions[cpu].clear();
                kicks[cpu].clear();
            }
            open[agent] = 0;
            return super.openEpoch(agent);
        }
    }

    /** The agent's end: decisions open their CPU's gate when their time has come. */
    private final class OnHost extends SimAgentEnd {
        private final int self;
        private final CpuSet toInterrupt = new CpuSet(shape.cpus());

        OnHost(RegionAgent end) {
            super(end, LocalRegion.this.time, LocalRegion.this.costs, LocalRegion.this.signals);
            self = end.agent();
        }

        @Override
        long interruptNanos(int cpu) {
            return noticeNanos(cpu);
        }

        @Override
        long sendNanos(int cpu) {
            return LocalRegion.this.sendNanos(cpu);
        }

        /** ghOSt's kernel checks and latches all decisions of a commit, and then interrupts their CPUs together. */
        @Override
        void interrupt(int cpu) {
            toInterrupt.add(cpu);
        }

        @Override
        public void commit() {
            super.commit();
            for (int cpu = toInterrupt.next(0); cpu != CpuSet.NONE; cpu = toInterrupt.next(cpu + 1)) {
                toInterrupt.remove(cpu);
                super.interrupt(cpu);
            }
        }

        /** As ghOSt's agents: a decision is for a CPU that is free, and is there at once; more than one are staged ahead. */
        @Override
        public boolean stagesAhead() {
            return shape().staged() > 1;
        }

        @Override
        public boolean peek(Message into) {
            reach();
            LongRing gate = messages[self];
            if (gate.isEmpty() || gate.peek() > time.nanoTime()) {
                guard();
                return false;
            }
            return super.peek(into);
        }

        @Override
        public void consume() {
            messages[self].poll();
            if (sockets.hasOthers()) {
                time.charge(sockets.lineNanos((int) writers[self].poll()));
            }
            super.consume();
        }

        @Override
        public boolean stage(int cpu, Transaction transaction) {
            if (!super.stage(cpu, transaction)) {
                return false;
            }
            decisions[cpu].add(time.nanoTime());
            if ((transaction.commitFlags() & Transaction.AT_COMMIT) != 0) {
                kicks[cpu].add(time.nanoTime());
            }
            agentSocket[self] = time.socket();
            return true;
        }

        @Override
        public boolean withdraw(int cpu) {
            boolean withdrawn = super.withdraw(cpu);
            if (withdrawn) {
                decisions[cpu].invertLast();
                settled.add(cpu);
            }
            return withdrawn;
        }

        @Override
        public int outcomes(int firstCpu, int cpus, OutcomeSink sink) {
            reach();
            int count = 0;
            int behind = firstCpu + cpus;
            for (int cpu = settled.next(firstCpu); cpu < behind; cpu = settled.next(cpu + 1)) {
                if (shape().agentOf(cpu) == self) {
                    settled.remove(cpu);
                    int settledHere = super.outcomes(cpu, 1, sink);
                    time.charge(settledHere * sockets.lineOfCpuNanos(cpu));
                    count += settledHere;
                }
            }
            return count;
        }
    }
}
