package dev.bascule.swap;

import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.Transaction;

/** The agent's end of a cell of two lines; see {@link LineHostExchange}. */
final class LineAgentExchange implements AgentExchange {
    private final int cpu;
    private final int epoch;
    private final AgentCell cell;
    private final BatchArea area;
    private final SwapMode mode;
    private final StagedDecisions staged;
    private final long[] promise;
    private int promised;

    LineAgentExchange(int cpu, int epoch, AgentCell cell, BatchArea area, SwapMode mode, int capacity) {
        this.cpu = cpu;
        this.epoch = epoch;
        this.cell = cell;
        this.area = area;
        this.mode = mode;
        staged = new StagedDecisions(capacity);
        promise = new long[area.capacity()];
    }

    /** Late binding: nothing is staged before the host asks, and then one decision. */
    @Override
    public int room() {
        if (mode.isAhead()) {
            return staged.room();
        }
        if (!hasRoom()) {
            look();
        }
        return hasRoom() ? 1 : 0;
    }

    @Override
    public boolean hasRoom() {
        return staged.room() > 0 && (mode.isAhead() || cell.pending() && !staged.isOpen());
    }

    @Override
    public void stage(Transaction decision) {
        staged.add(cpu, decision);
    }

    @Override
    public void commit() {
        staged.commit();
    }

    @Override
    public boolean turn() {
        look();
        return cell.pending() && promise();
    }

    private void look() {
        int actions = cell.poll();
        if ((actions & SwapAction.RESOLVED_COMMITTED) != 0) {
            staged.committed(cell.offer().offeredState());
        } else if ((actions & SwapAction.RESOLVED_REVERSED) != 0) {
            staged.reversed();
        }
    }

    private boolean promise() {
        int count = staged.promise(promise, promise.length / Line.WORDS);
        if (count == 0) {
            return false;
        }
        promised = count;
        long token = mode == SwapMode.SWAP_END ? Token.NONE : LineHostExchange.token(promise[0]);
        cell.reflect(token, area.store(promise, count * Line.WORDS, cpu, epoch, cell.number()), count);
        return true;
    }

    /** A promise in a line cannot be taken back; what waits at home can. */
    @Override
    public boolean withdraw() {
        if (!staged.isOpen()) {
            return false;
        }
        if (staged.isStaged()) {
            staged.withdrawn();
        }
        return true;
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return staged.settle(cpu, sink);
    }

    @Override
    public void repeat() {
        if (cell.promised()) {
            area.store(promise, promised * Line.WORDS, cpu, epoch, cell.number());
            cell.repeat();
        }
    }
}
