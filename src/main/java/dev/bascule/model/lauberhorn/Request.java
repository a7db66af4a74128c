package dev.bascule.model.lauberhorn;

import dev.bascule.model.lauberhorn.ServiceTable.Row;
import dev.bascule.rpc.UdpFlow;
import org.jspecify.annotations.Nullable;

/** A request that the NIC has: decoded arguments, and how the answer gets back. Used again and again. */
final class Request {
    /** Where a request came from. */
    enum Origin {
        ONC_RPC, COMPACT, NESTED
    }

    final int id;
    final UdpFlow back = new UdpFlow();
    Origin origin = Origin.ONC_RPC;
    int xid;
    long compactId;
    int caller;
    /** Where it is remembered, as {@link AnsweredCalls} has it. */
    AnsweredCalls.@Nullable Flow flow;
    long key;
    int place;
    /** Number of the caller's call. */
    long call;
    @Nullable
    Row row;
    long[] words = new long[16];
    int bytes;
    long arrivedNanos;

    Request(int id) {
        this.id = id;
    }

    /** Room for so many words. */
    long[] room(int wanted) {
        if (words.length < wanted) {
            words = new long[Math.max(wanted, 2 * words.length)];
        }
        return words;
    }

    Row known() {
        Row found = row;
        if (found == null) {
            throw new IllegalStateException("request " + id + " has no row");
        }
        return found;
    }
}
