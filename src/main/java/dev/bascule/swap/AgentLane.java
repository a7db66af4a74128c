package dev.bascule.swap;

import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.region.RegionLayout;
import dev.bascule.memory.Window;

/**
 * The agent's end of one lane: a place for the parcel that it was given, which is its own once the exchange is known to be
 * committed, and one for the parcel that it gives back. Thread rule: one thread. Allocates nothing after construction.
 */
final class AgentLane {
    private final int lane;
    private final int epoch;
    private final AgentCell cell;
    private final BatchArea offered;
    private final BatchArea promised;
    private final TransportCounters counters;
    private final long[] got;
    private final long[] gives;
    private long offer = Token.NONE;
    private long offerDigest;
    private int offerWords;
    private int gotWords;
    private boolean isOwn;
    private long inHand = Token.NONE;
    private int givesWords;
    private long givesToken = Token.NONE;

    AgentLane(SwapBulkArea area, int lane, int epoch, Window nic, Window hostMemory, SwapLedger ledger,
            TransportCounters counters) {
        this.lane = lane;
        this.epoch = epoch;
        this.counters = counters;
        int bank = epoch % RegionLayout.BANKS;
        offered = area.offered(hostMemory, lane);
        promised = area.promised(hostMemory, bank, lane);
        got = new long[area.words()];
        gives = new long[area.words()];
        cell = new AgentCell(lane, epoch, epoch, new WindowLine(nic, area.hostLine(lane)),
                new WindowLine(hostMemory, area.agentLine(bank, lane)), ledger);
    }

    /** One look: learns how the last exchange ended, and promises where there is something to. */
    void look() {
        int actions = cell.poll();
        if ((actions & SwapAction.RESOLVED_COMMITTED) != 0) {
            if (cell.resolvedGot() != Token.NONE) {
                isOwn = true;
                inHand = cell.resolvedGot();
            }
            if (cell.resolvedGave() != Token.NONE) {
                givesWords = 0;
            }
        }
        if ((actions & SwapAction.DECIDE) != 0) { // kept: the cell's copy is read over by the next look
            offer = cell.offer().offered();
            offerDigest = cell.offer().offeredState();
            offerWords = cell.offer().flags();
        }
        if (cell.pending() && (offer == Token.NONE ? givesWords > 0 : !isOwn && copy())) {
            promise();
        }
    }

    /** Copies the parcel on offer; whether it is whole. */
    private boolean copy() {
        if (offerWords < 1 || offerWords > got.length) {
            counters.corrupt++;
            return false;
        }
        offered.prefetch((offerWords + Line.WORDS - 1) / Line.WORDS);
        boolean isWhole = offered.load(got, offerWords, lane, epoch, cell.number(), offerDigest);
        counters.torn += isWhole ? 0 : 1;
        gotWords = isWhole ? offerWords : 0;
        return isWhole;
    }

    private void promise() {
        long digest = givesWords == 0 ? 0 : promised.store(gives, givesWords, lane, epoch, cell.number());
        cell.reflect(givesWords == 0 ? Token.NONE : givesToken, digest, givesWords);
    }

    /** Hands out the parcel that is the agent's own; its length, 0 if there is none. */
    int receive(long[] into) {
        if (!isOwn) {
            return 0;
        }
        isOwn = false;
        System.arraycopy(got, 0, into, 0, gotWords);
        return gotWords;
    }

    /** Gives the parcel handed out last back, as this message. False: the one before it is still promised, or waits. */
    boolean giveBack(long[] words, int count) {
        if (givesWords > 0) {
            return false;
        }
        System.arraycopy(words, 0, gives, 0, count);
        givesWords = count;
        givesToken = inHand;
        return true;
    }

    /** Writes again what a link may have lost. */
    void repeat() {
        if (cell.promised()) {
            if (givesWords > 0) {
                promised.store(gives, givesWords, lane, epoch, cell.number());
            }
            cell.repeat();
        }
    }
}
