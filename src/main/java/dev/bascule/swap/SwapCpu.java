package dev.bascule.swap;

import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.CpuInterrupt;
import dev.bascule.agent.region.CpuPort;
import dev.bascule.agent.region.HostThread;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one CPU: its exchange and its interrupt. Nothing is offered to an agent that is not ready: nobody
 * would answer, and each local decision would take the offer back again. What was wanted meanwhile is offered when the
 * agent comes. A host that never asks for its agents always offers.
 */
final class SwapCpu implements CpuPort {
    /** Polls that found nothing between two looks at the clock, which takes as long; a power of two. */
    private static final int MISSES_PER_LOOK = 16;

    private final int cpu;
    private final HostThread own;
    private final SwapLayout layout;
    private final SwapOptions options;
    private final HostExchange exchange;
    private final CpuInterrupt interrupt;
    private @Nullable String repair;
    private int misses;
    private boolean isAbsent;
    private boolean wanted;

    /** @param former whether the memory is a former host's, whose records say how far it came */
    SwapCpu(int cpu, int epoch, HostThread own, SwapLayout layout, SwapOptions options, SwapLedger ledger, Clock clock,
            boolean former) {
        this.cpu = cpu;
        this.own = own;
        this.layout = layout;
        this.options = options;
        interrupt = new CpuInterrupt(own, options.push(), options.interruptNanos(), clock);
        interrupt.open(layout.sleeping(epoch, cpu), layout.interrupt(epoch, cpu));
        exchange = options.mode() == SwapMode.ONE_WORD
                ? new WordHostExchange(cpu, layout, own.links(), options.push(), epoch, own.counters())
                : lines(epoch, ledger, clock, former);
    }

    private HostExchange lines(int epoch, SwapLedger ledger, Clock clock, boolean former) {
        Window promises = options.push() ? own.links().hostMemory() : own.links().fromNic();
        Line[] agentLines = new Line[SwapLayout.BANKS];
        BatchArea[] areas = new BatchArea[SwapLayout.BANKS];
        for (int bank = 0; bank < SwapLayout.BANKS; bank++) {
            agentLines[bank] = new WindowLine(promises, layout.agentLine(options.push(), bank, cpu));
            areas[bank] = BatchArea.over(promises, layout, options.push(), bank, cpu);
        }
        Line hostLine = new WindowLine(own.links().toNic(), layout.hostLine(cpu));
        CellRecord record = CellRecord.over(own.links().hostMemory(), layout.record(cpu));
        HostCell cell;
        if (former) {
            Recovery recovery = new Recovery();
            cell = HostCell.recover(cpu, epoch, epoch, hostLine, agentLines, record, options.limits(), ledger,
                    recovery);
            repair = recovery.clean() ? null : recovery.toString();
        } else {
            cell = HostCell.create(cpu, epoch, epoch, hostLine, agentLines, record, options.limits(), ledger);
        }
        LineHostExchange lines = new LineHostExchange(cpu, layout.shape().agentOf(cpu), cell, agentLines, areas,
                options, own.counters(), clock);
        lines.fence(epoch);
        return lines;
    }

    @Override
    public void open(int epoch) {
        interrupt.open(layout.sleeping(epoch, cpu), layout.interrupt(epoch, cpu));
        exchange.fence(epoch);
    }

    @Override
    public void want() {
        if (isAbsent) {
            wanted = true;
        } else {
            exchange.want();
        }
    }

    @Override
    public void agentReady(boolean ready) {
        isAbsent = !ready;
        if (ready && wanted) {
            wanted = false;
            exchange.want();
        }
    }

    @Override
    public boolean poll(Transaction into) {
        if (exchange.poll(into)) {
            return true;
        }
        if ((++misses & MISSES_PER_LOOK - 1) == 0) {
            exchange.expire();
        }
        return false;
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        exchange.settle(decision, outcome);
    }

    @Override
    public void abandon() {
        exchange.abandon();
    }

    @Override
    public void flush() {
        if (exchange.isDirty() && !isAbsent) {
            exchange.write();
            own.outgoing().touch();
        }
    }

    @Override
    public boolean isKicked() {
        return interrupt.take();
    }

    @Override
    public void setSleeping(boolean sleeping) {
        interrupt.setSleeping(sleeping);
    }

    @Override
    public boolean hasDecision() {
        return exchange.hasDecision();
    }

    @Override
    public void repeat() {
        exchange.repeat();
        exchange.expire();
        flush();
        own.outgoing().commit();
    }

    @Override
    public @Nullable String trouble() {
        return exchange.trouble();
    }

    @Override
    public @Nullable String repair() {
        return repair;
    }
}
