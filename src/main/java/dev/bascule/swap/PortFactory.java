package dev.bascule.swap;

import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Makes the host's ends of all CPUs, on fresh memory or on that of a former host. */
final class PortFactory {
    private final SwapCpu[] cpus;
    private final SwapLayout layout;
    private final SwapOptions options;
    private final Ledger ledger;
    private final Clock clock;
    private final List<String> repairs = new ArrayList<>();

    PortFactory(SwapCpu[] cpus, SwapLayout layout, SwapOptions options, Ledger ledger, Clock clock) {
        this.cpus = cpus;
        this.layout = layout;
        this.options = options;
        this.ledger = ledger;
        this.clock = clock;
    }

    List<String> repairs() {
        return repairs;
    }

    /** One more than any epoch that a former host's record names: it may have died between records. */
    int nextEpoch() {
        int highest = 0;
        if (options.mode() != SwapMode.ONE_WORD) {
            for (int cpu = 0; cpu < layout.shape().cpus(); cpu++) {
                HostState found = new HostState(cpu);
                int how = record(cpu).load(found);
                highest = Math.max(highest, found.epoch + (how >= CellRecord.FROM_SLOT ? 1 : 0));
            }
        }
        return highest + 1;
    }

    HostPort[] create(int epoch) {
        return all(epoch, false);
    }

    HostPort[] recover(int epoch) {
        return all(epoch, true);
    }

    private HostPort[] all(int epoch, boolean former) {
        HostPort[] ports = new HostPort[layout.shape().cpus()];
        for (int cpu = 0; cpu < ports.length; cpu++) {
            ports[cpu] = options.mode() == SwapMode.ONE_WORD ? word(cpu, epoch) : lines(cpu, epoch, former);
        }
        return ports;
    }

    private HostPort word(int cpu, int epoch) {
        SwapLinks links = cpus[cpu].links();
        MemorySegment memory = SwapLinks.requireCoherent(links.coherent(), layout);
        return new WordHostPort(cpu, new WordPlaces(layout, memory, links.toNic(), links.fromNic()), epoch,
                cpus[cpu].counters());
    }

    private HostPort lines(int cpu, int epoch, boolean former) {
        Line[] agentLines = new Line[SwapLayout.BANKS];
        BatchArea[] areas = new BatchArea[SwapLayout.BANKS];
        for (int bank = 0; bank < SwapLayout.BANKS; bank++) {
            agentLines[bank] = new WindowLine(promises(cpu), layout.agentLine(options.push(), bank, cpu));
            Line[] decisions = new Line[layout.batch()];
            for (int i = 0; i < decisions.length; i++) {
                decisions[i] = new WindowLine(promises(cpu), layout.decision(options.push(), bank, cpu, i));
            }
            areas[bank] = new BatchArea(decisions);
        }
        HostCell cell = cell(cpu, epoch, agentLines, former);
        LineHostPort port = new LineHostPort(cpu, cell, agentLines, areas, options,
                cpus[cpu].counters(), clock);
        port.fence(epoch);
        return port;
    }

    private HostCell cell(int cpu, int epoch, Line[] agentLines, boolean former) {
        Line hostLine = new WindowLine(cpus[cpu].links().toNic(), layout.hostLine(cpu));
        if (!former) {
            return HostCell.create(cpu, epoch, epoch, hostLine, agentLines, record(cpu), options.limits(), ledger);
        }
        Recovery recovery = new Recovery();
        HostCell cell = HostCell.recover(cpu, epoch, epoch, hostLine, agentLines, record(cpu), options.limits(),
                ledger, recovery);
        if (!recovery.clean()) {
            repairs.add(recovery.toString());
        }
        return cell;
    }

    private Window promises(int cpu) {
        SwapLinks links = cpus[cpu].links();
        return options.push() ? links.hostMemory() : links.fromNic();
    }

    private CellRecord record(int cpu) {
        return CellRecord.over(cpus[cpu].links().hostMemory(), layout.record(cpu));
    }
}
