package dev.bascule.wave;

import dev.bascule.agent.AgentControl;
import dev.bascule.agent.AgentException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.HostControl;
import dev.bascule.agent.Lines;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageSender;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The host's end of Wave's transport. Messages and outcomes are posted into NIC memory through {@code toNic}
 * (write-combining in the paper), decisions are read from NIC memory through {@code fromNic} (write-through there), and
 * status words lie in host memory.
 */
public final class WaveHost implements MechanismEnd {
    private final WaveLinks links;
    private final WaveLayout layout;
    private final EnclaveShape shape;
    private final WaveOptions options;
    private final Window out;
    private final Window in;
    private final Window host;
    private final HostControl control;
    private final StatusTable status;
    private final TransportCounters counters = new TransportCounters();
    private final MessageSender[] channels;
    private final AgentControl[] agents;
    private final int[] next;
    private final int[] asked;
    private final boolean[] prefetched;
    private final long[][] answers;
    private final long[] interruptsSeen;
    private final long[] whole = new long[Lines.WORDS];
    private int epoch;
    private int generation;
    private boolean dirty;

    /**
     * Lays the region out and opens its next epoch: the first on zeroed memory, one more than the last on the memory of
     * a former host with the same shape.
     *
     * @throws AgentException if a memory is too small
     */
    public WaveHost(WaveLinks links, EnclaveShape shape, WaveOptions options) {
        layout = new WaveLayout(shape);
        links.require(layout.nicBytes(), layout.hostBytes());
        this.links = links;
        this.shape = shape;
        this.options = options;
        out = links.toNic();
        in = links.fromNic();
        host = links.hostMemory();
        control = new HostControl(out, WaveLayout.HOST_CONTROL);
        status = new StatusTable(host, layout.status(), shape);
        channels = new MessageSender[shape.agents()];
        agents = new AgentControl[shape.agents()];
        next = new int[shape.cpus()];
        asked = new int[shape.cpus()];
        prefetched = new boolean[shape.cpus()];
        answers = new long[shape.cpus()][shape.places()];
        interruptsSeen = new long[shape.cpus()];
        epoch = new HostControl(in, WaveLayout.HOST_CONTROL).epoch();
        control.requireStart(epoch + 1);
        openEpoch();
        new RegionHeader(RegionHeader.WAVE, shape, options.placement()).write(out, WaveLayout.HEADER);
    }

    /** Bytes of NIC memory a region of this shape needs. */
    public static long nicBytes(EnclaveShape shape) {
        return new WaveLayout(shape).nicBytes();
    }

    /** Bytes of host memory a region of this shape needs. */
    public static long hostBytes(EnclaveShape shape) {
        return new WaveLayout(shape).hostBytes();
    }

    @Override
    public EnclaveShape shape() {
        return shape;
    }

    @Override
    public int epoch() {
        return epoch;
    }

    @Override
    public boolean post(int agent, Message message) {
        if (!channels[agent].send(message.words())) {
            counters.overflows++;
            return false;
        }
        dirty = true;
        if (!options.batch()) {
            commit();
        }
        return true;
    }

    @Override
    public void commit() {
        if (dirty) {
            dirty = false;
            counters.fences++;
            out.writeFence(); // partner: the agent's acquire of a line's first word and its digest
        }
    }

    @Override
    public void want(int cpu) {
        if (!options.prestage()) {
            asked[cpu] = next[cpu];
            out.storeRelease(layout.wanted(epoch, cpu), asked[cpu] & 0xffff_ffffL);
            dirty = true;
        }
        if (options.prefetch()) { // anew: a line fetched early for a decision that was parked is old by now
            Window window = slotWindow();
            long line = slot(cpu);
            window.invalidateLine(line);
            window.prefetchLine(line);
            prefetched[cpu] = true;
        }
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        Window window = slotWindow();
        for (int look = 0; look <= shape.places(); look++) {
            long line = slot(cpu);
            if (prefetched[cpu]) {
                prefetched[cpu] = false;
            } else {
                window.invalidateLine(line);
            }
            if (!window.arrived(line)) {
                return false;
            }
            long head = window.loadAcquire(line);
            if (SlotLine.number(head) != next[cpu] || SlotLine.epoch(head) != epoch) {
                counters.foreignEpoch += head != 0 && SlotLine.epoch(head) != epoch ? 1 : 0;
                return false;
            }
            if (!SlotLine.read(window, line, cpu, head, into, whole)) {
                counters.torn++;
                return false;
            }
            next[cpu]++;
            if (SlotLine.kind(head) == SlotLine.DECISION) {
                return true;
            }
            answer(cpu, into, Outcome.ABORTED);
        }
        return false; // the agent withdraws as fast as this end looks: the next call goes on
    }

    private Window slotWindow() {
        return options.push() ? host : in;
    }

    private long slot(int cpu) {
        return options.push() ? layout.hostSlot(epoch, cpu, next[cpu]) : layout.nicSlot(epoch, cpu, next[cpu]);
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        answer(decision.slotCpu(), decision, outcome);
    }

    private void answer(int cpu, Transaction decision, Outcome outcome) {
        long at = layout.outcome(epoch, cpu, decision.number());
        long answer = OutcomeWord.of(decision.number(), epoch, outcome, at);
        answers[cpu][shape.place(decision.number())] = answer;
        out.storeRelease(at, answer);
        dirty = true;
    }

    @Override
    public void abandon(int cpu) {
        // a decision that still comes is validated like any other
    }

    @Override
    public boolean isKicked(int cpu) {
        long sent = host.loadAcquire(layout.interrupt(epoch, cpu));
        if (sent == interruptsSeen[cpu]
                || options.interruptNanos() > 0 && System.nanoTime() - sent < options.interruptNanos()) {
            return false;
        }
        interruptsSeen[cpu] = sent;
        counters.interrupts++;
        return true;
    }

    @Override
    public boolean sleep(int cpu, long timeoutNanos) {
        return links.waiter(cpu).await(timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        long flag = layout.sleeping(epoch, cpu);
        out.storeRelease(flag, 1);
        out.writeFence();
        if (options.push()) { // the decision lies in host memory: only a read of the NIC pushes the flag there first
            in.invalidateLine(flag);
            in.loadAcquire(flag);
        }
        VarHandle.fullFence(); // partner: the full fence in WaveAgent.commit; one of the two sees the other's store
        return isSlotReady(cpu);
    }

    @Override
    public void leaveSleep(int cpu) {
        out.storeRelease(layout.sleeping(epoch, cpu), 0);
        out.writeFence();
    }

    private boolean isSlotReady(int cpu) {
        slotWindow().invalidateLine(slot(cpu));
        long head = slotWindow().loadAcquire(slot(cpu));
        return SlotLine.number(head) == next[cpu] && SlotLine.epoch(head) == epoch;
    }

    @Override
    public void requestResync() {
        generation++;
        counters.resyncs++;
        control.write(epoch, false, generation);
    }

    @Override
    public void tick() {
        for (int agent = 0; agent < channels.length; agent++) {
            out.storeRelease(layout.total(epoch, agent),
                    Lines.seal((long) channels[agent].sent() << 32, layout.total(epoch, agent)));
        }
        for (int cpu = 0; cpu < answers.length; cpu++) {
            if (!options.prestage()) {
                out.storeRelease(layout.wanted(epoch, cpu), asked[cpu] & 0xffff_ffffL);
            }
            for (int slot = 0; slot < answers[cpu].length; slot++) {
                out.storeRelease(layout.outcome(epoch, cpu, slot), answers[cpu][slot]);
            }
        }
        control.write(epoch, false, generation);
    }

    @Override
    public int openEpoch() {
        control.require(epoch + 1);
        epoch++;
        WaveLayout.clear(out, layout.nicBank(epoch), layout.nicBankBytes());
        WaveLayout.clear(host, layout.hostBank(epoch), layout.hostBankBytes());
        for (int agent = 0; agent < shape.agents(); agent++) {
            channels[agent] = new MessageSender(out, in, layout.channel(epoch, agent), shape.channelEntries(),
                    layout.credit(epoch, agent), epoch);
            agents[agent] = new AgentControl(in, layout.agentControl(epoch, agent), epoch);
        }
        Arrays.fill(next, 1);
        Arrays.fill(asked, 0);
        Arrays.stream(answers).forEach(answer -> Arrays.fill(answer, 0));
        Arrays.fill(prefetched, false);
        Arrays.fill(interruptsSeen, 0);
        generation++;
        control.write(epoch, false, generation);
        return epoch;
    }

    @Override
    public boolean isReady(int agent) {
        return agents[agent].isReady();
    }

    @Override
    public long heartbeat(int agent) {
        return agents[agent].heartbeat();
    }

    @Override
    public StatusTable status() {
        return status;
    }

    @Override
    public TransportCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
