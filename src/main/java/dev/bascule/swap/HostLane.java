package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.memory.Window;
import dev.bascule.ring.Clock;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of one lane: a cell that moves parcels. Token a of an exchange is the parcel that waits here, token b one
 * that the agent was given before and has worked on. Parcels count from 1; which the agent holds is known from two of
 * these numbers, as it returns them in order.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
final class HostLane {
    private final int lane;
    private final HostCell cell;
    private final BatchArea offered;
    private final BatchArea[] promised;
    private final TransportCounters counters;
    private final long[] parcel;
    private int count;
    private long token = Token.NONE;
    private int numbers;
    private int given;
    private int returned;
    private boolean told = true;
    private @Nullable String trouble;

    HostLane(SwapBulkArea area, int lane, int epoch, Window toNic, Window memory, SwapLimits limits, SwapLedger ledger,
            TransportCounters counters) {
        this.lane = lane;
        this.counters = counters;
        parcel = new long[area.words()];
        offered = area.offered(memory, lane);
        promised = new BatchArea[RegionLayout.BANKS];
        Line[] agentLines = new Line[RegionLayout.BANKS];
        Arrays.setAll(promised, bank -> area.promised(memory, bank, lane));
        Arrays.setAll(agentLines, bank -> new WindowLine(memory, area.agentLine(bank, lane)));
        cell = HostCell.create(lane, epoch, epoch, new WindowLine(toNic, area.hostLine(lane)), agentLines,
                CellRecord.over(memory, area.record(lane)), limits, ledger);
    }

    /**
     * Looks for the agent's answer. One that brings nothing is taken; one that brings a parcel is copied and left for
     * {@link #take}. Returns the parcel's length in words, else 0.
     */
    int look(long[] into, SwapBulkHost.Fresh fresh, Clock clock) {
        if (!cell.peek()) {
            if (cell.open()) {
                reversed(cell.expire(clock.nanoTime()));
            }
            return 0;
        }
        if (cell.line().kind() != SwapLine.REFLECT) {
            reversed(cell.settle());
            return 0;
        }
        int words = promisedWords(cell.line(), into);
        if (words < 0) {
            return 0;
        }
        if (count > 0 && !isFresh(fresh)) {
            reversed(cell.reverse());
            return 0;
        }
        if (words == 0) {
            take();
        }
        return words;
    }

    /** Length of the parcel promised, which is copied; -1: it is not whole, or not the agent's to give. */
    private int promisedWords(SwapLine line, long[] into) {
        long words = line.argument1();
        if (line.given() == Token.NONE && words == 0) {
            return 0;
        }
        if (!isOwed(line.given()) || words < 1 || words > parcel.length) {
            counters.corrupt++;
            return -1;
        }
        if (!promised[line.epoch() % promised.length].load(into, (int) words, lane, line.epoch(), line.n(),
                line.argument0())) {
            counters.torn++;
            return -1;
        }
        return (int) words;
    }

    private boolean isOwed(long promise) {
        int number = Token.id(promise);
        return promise != Token.NONE && Token.tokenClass(promise) == lane && number - returned > 0
                && given - number >= 0;
    }

    /** Strikes what has ended from the parcel on offer; whether there was nothing to strike. */
    private boolean isFresh(SwapBulkHost.Fresh fresh) {
        int left = fresh.keep(parcel, count);
        boolean isWhole = left == count;
        count = left;
        return isWhole;
    }

    private void reversed(int actions) {
        if ((actions & SwapAction.REVERSED) != 0) {
            counters.reversals++;
            told = false;
        }
        if ((actions & SwapAction.DAMAGED) != 0) {
            damaged();
        }
    }

    private void damaged() {
        trouble = "the commit word of lane " + lane + " was damaged";
    }

    /** Commits the exchange of the last {@link #look}. False: it was not to be, and all is where it was. */
    boolean take() {
        int actions = cell.settle();
        if ((actions & SwapAction.DAMAGED) != 0) {
            damaged();
        }
        if ((actions & SwapAction.COMMITTED) == 0) {
            return false;
        }
        told = false;
        if (cell.given() != Token.NONE) {
            given = Token.id(cell.given());
            count = 0;
            token = Token.NONE;
        }
        if (cell.received() != Token.NONE) {
            returned = Token.id(cell.received());
            cell.drop(cell.received()); // what it says is the caller's now
        }
        return true;
    }

    /**
     * Offers what waits; else nothing, where the agent holds parcels; else says how the last exchange ended. An offer that
     * is open stays, but one of nothing gives way to a parcel.
     */
    void offer(ParcelQueue queue, SwapBulkHost.Fresh fresh, Clock clock) {
        if (cell.open()) {
            if (token != Token.NONE || queue.isEmpty()) {
                return;
            }
            reversed(cell.reverse());
        }
        next(queue, fresh);
        if (token == Token.NONE && given == returned) {
            tell();
            return;
        }
        long digest = token == Token.NONE
                ? 0
                : offered.store(parcel, count, lane, cell.epoch(), cell.number() + 1);
        int actions = cell.offer(token, digest, Token.NONE, token == Token.NONE ? 0 : count, clock.nanoTime());
        told |= (actions & SwapAction.WRITE) != 0;
        if ((actions & SwapAction.FENCE_NEEDED) != 0) {
            trouble = "the swap numbers of lane " + lane + " are used up";
        }
    }

    /** A parcel to be offered: the one that was, as far as it has not ended, else the queue's next. */
    private void next(ParcelQueue queue, SwapBulkHost.Fresh fresh) {
        if (token != Token.NONE && count == 0) {
            cell.drop(token);
            token = Token.NONE;
        }
        while (token == Token.NONE && !queue.isEmpty()) {
            count = fresh.keep(parcel, queue.take(parcel));
            if (count > 0) {
                token = Token.of(++numbers, lane);
                cell.admit(token);
            }
        }
    }

    private void tell() {
        if (!told) {
            told = true;
            cell.close(0, 0);
        }
    }

    /** Writes again what a link may have lost. */
    void repeat() {
        if (cell.open() && token != Token.NONE && count > 0) {
            offered.store(parcel, count, lane, cell.epoch(), cell.number());
        }
        cell.repeat();
    }

    /** All is the host's again, and nothing of the old epoch is taken any more. */
    void fence(int epoch) {
        if ((cell.fence(epoch, epoch) & SwapAction.FENCED) == 0) {
            throw new IllegalStateException("bulk swap: no epoch is left after " + cell.epoch() + "; start anew");
        }
        while (cell.heldCount() > 0) {
            cell.drop(cell.held(0));
        }
        count = 0;
        token = Token.NONE;
        given = numbers;
        returned = numbers;
        told = true;
        trouble = null;
    }

    @Nullable
    String trouble() {
        return trouble;
    }
}
