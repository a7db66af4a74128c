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
import dev.bascule.agent.Outgoing;
import dev.bascule.agent.RegionHeader;
import dev.bascule.agent.StatusTable;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.memory.Window;
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
    private final Outgoing outgoing;
    private final WaveCpu[] cpus;
    private int epoch;
    private int generation;

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
        outgoing = new Outgoing(out, counters);
        cpus = new WaveCpu[shape.cpus()];
        Arrays.setAll(cpus, this::cpu);
        epoch = new HostControl(in, WaveLayout.HOST_CONTROL).epoch();
        control.requireStart(epoch + 1);
        openEpoch();
        new RegionHeader(RegionHeader.WAVE, shape, options.placement()).write(out, WaveLayout.HEADER);
    }

    /** With windows of its own where the host has several threads. */
    private WaveCpu cpu(int cpu) {
        WaveLinks own = links.another();
        boolean shared = own == links;
        TransportCounters counted = shared ? counters : new TransportCounters();
        return new WaveCpu(cpu, own, layout, shape, options,
                shared ? outgoing : new Outgoing(own.toNic(), counted), counted);
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
        outgoing.touch();
        if (!options.batch()) {
            commit();
        }
        return true;
    }

    @Override
    public void commit() {
        outgoing.commit();
    }

    @Override
    public void commit(int cpu) {
        cpus[cpu].commit();
    }

    @Override
    public void want(int cpu) {
        cpus[cpu].want();
    }

    @Override
    public boolean poll(int cpu, Transaction into) {
        return cpus[cpu].poll(into);
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        cpus[decision.slotCpu()].answer(decision, outcome);
    }

    @Override
    public void abandon(int cpu) {
        // a decision that still comes is validated like any other
    }

    @Override
    public boolean isKicked(int cpu) {
        return cpus[cpu].isKicked();
    }

    @Override
    public boolean sleep(int cpu, long timeoutNanos) {
        return links.waiter(cpu).await(timeoutNanos);
    }

    @Override
    public boolean enterSleep(int cpu) {
        return cpus[cpu].enterSleep();
    }

    @Override
    public void leaveSleep(int cpu) {
        cpus[cpu].leaveSleep();
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
        for (WaveCpu cpu : cpus) {
            cpu.tick(out);
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
        for (WaveCpu cpu : cpus) {
            cpu.open(epoch);
        }
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
    public StatusTable status(int cpu) {
        return cpus[cpu].status();
    }

    @Override
    public TransportCounters counters() {
        TransportCounters all = counters;
        for (WaveCpu cpu : cpus) {
            if (cpu.counters() != counters) {
                all = all == counters ? counters.copy() : all;
                all.add(cpu.counters());
            }
        }
        return all;
    }

    @Override
    public void close() {
        control.write(epoch, true, generation);
    }
}
