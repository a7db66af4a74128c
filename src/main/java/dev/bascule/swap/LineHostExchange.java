package dev.bascule.swap;

import dev.bascule.agent.Identity;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TransportCounters;
import dev.bascule.ring.Clock;
import org.jspecify.annotations.Nullable;

/**
 * One CPU's cell of two lines. Token b of an exchange is the task that the agent decided for, in the version it saw
 * (task 20, sequence number 28); token a is the one that the host got last and is done with. The decision itself lies
 * in lines behind the agent's, whose digest the agent line carries; what became of it is in word 3 of the next host
 * line ({@link OutcomeBits}), which is not written before all decisions of the promise are settled.
 */
final class LineHostExchange implements HostExchange {
    private static final long TOKEN = (1L << 48) - 1;

    private final int cpu;
    private final int agent;
    private final HostCell cell;
    private final Line[] agentLines;
    private final BatchArea[] areas;
    private final SwapMode mode;
    private final boolean prefetch;
    private final TransportCounters counters;
    private final Clock clock;
    private final long[] batch;
    private int count;
    private int taken;
    private int settled;
    private long answers;
    private long running = Token.NONE;
    private boolean dirty;
    private boolean fetched;
    private @Nullable String trouble;

    /** @param agent number of the agent that decides for the CPU */
    LineHostExchange(int cpu, int agent, HostCell cell, Line[] agentLines, BatchArea[] areas, SwapOptions options,
            TransportCounters counters, Clock clock) {
        this.cpu = cpu;
        this.agent = agent;
        this.cell = cell;
        this.agentLines = agentLines;
        this.areas = areas;
        mode = options.mode();
        prefetch = options.prefetch();
        this.counters = counters;
        this.clock = clock;
        batch = new long[areas[0].capacity()];
    }

    /** Token of a task in a version; none for the special targets, which nobody owns. */
    static long token(long identity) {
        return Identity.task(identity) < Identity.MAX_TASKS ? identity & TOKEN : Token.NONE;
    }

    @Override
    public void want() {
        running = Token.NONE;
        if (count == 0 && !cell.open()) {
            offer();
        }
        if (prefetch) {
            fetched = true;
            int bank = cell.epoch() & 1;
            agentLines[bank].prefetch();
            areas[bank].prefetch(1);
        }
    }

    private void offer() {
        int actions = cell.offer(idleToken(), answers, Token.NONE, 0, clock.nanoTime());
        if ((actions & SwapAction.FENCE_NEEDED) != 0) {
            trouble = "swap numbers of CPU " + cpu + " are used up";
        } else if ((actions & SwapAction.WRITE) != 0) {
            dirty = false;
        }
    }

    /** A token that the host holds without running its task; none if there is none. */
    private long idleToken() {
        for (int i = 0; i < cell.heldCount(); i++) {
            if (cell.held(i) != running) {
                return cell.held(i);
            }
        }
        return Token.NONE;
    }

    @Override
    public boolean poll(Transaction into) {
        if (taken == count && (settled != count || !receive())) {
            return false;
        }
        int at = taken++ * Line.WORDS;
        System.arraycopy(batch, at, into.words(), 0, Message.WORDS);
        into.slot(cpu, (int) batch[at + Message.WORDS], 0);
        return true;
    }

    /** Commits the promise if it is there and whole. */
    private boolean receive() {
        boolean early = fetched;
        fetched = false;
        if (!cell.peek()) {
            if (early) {
                areas[cell.epoch() & 1].forget(); // fetched before the promise was there
            }
            return false;
        }
        SwapLine line = cell.line();
        boolean isPromise = line.kind() == SwapLine.REFLECT;
        if (isPromise && !isWhole(line)) {
            return false;
        }
        int promised = isPromise ? (int) line.argument1() : 0;
        int actions = cell.settle();
        if ((actions & SwapAction.DAMAGED) != 0) {
            trouble = "commit word of CPU " + cpu + " was damaged; its record is rebuilt";
        } else if ((actions & SwapAction.IGNORED) != 0) {
            counters.corrupt++;
        }
        reversed(actions);
        if ((actions & SwapAction.COMMITTED) == 0) {
            return false;
        }
        count = promised;
        taken = 0;
        settled = 0;
        answers = 0;
        return true;
    }

    @Override
    public void expire() {
        if (cell.open()) {
            reversed(cell.expire(clock.nanoTime()));
        }
    }

    /** The peer's number of decisions is 48 bits wide: compared as such before it is used. */
    private boolean isWhole(SwapLine line) {
        long promised = line.argument1();
        boolean possible = promised >= 1 && promised <= batch.length / Line.WORDS;
        if (!possible || !areas[line.epoch() & 1].load(batch, (int) promised * Line.WORDS, cpu, line.epoch(), line.n(),
                line.argument0())) {
            counters.torn++;
            return false;
        }
        boolean named = line.given() == (mode == SwapMode.SWAP_END ? Token.NONE : token(batch[0]));
        counters.corrupt += named ? 0 : 1;
        return named;
    }

    private void reversed(int actions) {
        if ((actions & SwapAction.REVERSED) != 0) {
            counters.reversals++;
            dirty = true;
        }
        if ((actions & SwapAction.SUSPECT) != 0) {
            trouble = "swaps of CPU " + cpu + " were reversed too often in a row";
        }
    }

    @Override
    public void settle(Transaction decision, Outcome outcome) {
        if (settled == count) {
            return; // of an epoch that is over
        }
        answers = OutcomeBits.with(answers, settled++, outcome);
        long token = mode == SwapMode.SWAP_END ? Token.NONE : token(decision.identity());
        if (token != Token.NONE) {
            if (outcome == Outcome.COMPLETE) {
                running = token;
            } else {
                cell.drop(token); // refused: the agent's again, and the outcome says so
            }
        }
        if (settled == count) {
            count = 0;
            taken = 0;
            settled = 0;
            dirty = true;
        }
    }

    @Override
    public boolean isDirty() {
        return dirty;
    }

    @Override
    public void write() {
        dirty = false;
        if (cell.open()) {
            return; // the open offer carries it
        }
        if (mode.isAhead()) {
            offer();
        } else {
            cell.close(answers, 0);
        }
    }

    @Override
    public void abandon() {
        running = Token.NONE;
        reversed(cell.reverse());
    }

    @Override
    public boolean hasDecision() {
        return taken < count || agentLines[cell.epoch() & 1].isBehind(agent) || cell.peek()
                || cell.peek(); // the first may see a copy fetched early
    }

    @Override
    public void repeat() {
        cell.repeat();
    }

    @Override
    public void fence(int epoch) {
        if (cell.epoch() < epoch) {
            cell.fence(epoch, epoch);
        }
        while (cell.heldCount() > 0) {
            cell.drop(cell.held(0)); // the scheduler's tables hold the truth about tasks
        }
        count = 0;
        taken = 0;
        settled = 0;
        answers = 0;
        running = Token.NONE;
        dirty = false;
        trouble = null;
    }

    @Override
    public @Nullable String trouble() {
        return trouble;
    }
}
