package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.OfProcess;
import dev.bascule.model.lauberhorn.NicCounters.Total;

/**
 * How a request ends: with the reply that came back in its line, or with a refusal; each is sent to who asked, and counted
 * once. The process may have written anything into the line. Thread rule: the NIC's thread. Allocation-free after
 * construction.
 */
final class Settlement {
    private final LauberhornConfig config;
    private final RequestPool pool;
    private final ReplyWriter writer;
    private final NestedCalls nested;
    private final NicCounters counters;
    private final long[] reply;

    Settlement(LauberhornConfig config, RequestPool pool, ReplyWriter writer, NestedCalls nested,
            NicCounters counters) {
        this.config = config;
        this.pool = pool;
        this.writer = writer;
        this.nested = nested;
        this.counters = counters;
        reply = new long[Math.max(config.lines().mostReplyBytes(), config.lines().dmaBytes()) / Long.BYTES + 1];
    }

    /** How long it takes to fetch what the lines say that they hold, ns. */
    long fetchNanos(NicLines lines) {
        long size = lines.fetchedSize();
        int bytes = (int) size;
        if (bytes < 0 || bytes > reply.length * Long.BYTES) {
            return config.costs().lineNanos();
        }
        return config.costs().fetchNanos(bytes, config.lines().lineBytes())
                + ((size & LineLayout.BY_DMA) != 0 ? config.costs().dmaNanos(bytes) : 0);
    }

    /** The line of a request has come back: its reply leaves, or a refusal if it is none. */
    void comesBack(Request request, NicLines lines) {
        long head = lines.fetchedHead();
        long size = lines.fetchedSize();
        boolean byDma = (size & LineLayout.BY_DMA) != 0;
        int bytes = (int) size;
        if (!lines.endpoint().isAnswer(head)) {
            refuse(request, Refusal.BAD_REPLY);
        } else if (LineHead.kind(head) == LineHead.FAILED) {
            refuse(request, Refusal.HANDLER_FAILED);
        } else if (bytes < 0 || bytes > lines.mostBytes(byDma)) {
            refuse(request, Refusal.BAD_REPLY);
        } else {
            lines.fetchPayload(reply, bytes, byDma);
            if (byDma) {
                counters.add(Total.BY_DMA);
            }
            answer(request, bytes);
        }
    }

    private void answer(Request request, int bytes) {
        boolean good = request.origin == Request.Origin.NESTED
                ? nested.result(request, reply, bytes)
                : writer.result(request, reply, bytes);
        if (good) {
            counters.add(Total.ANSWERED);
            counters.add(request.known().process(), OfProcess.ANSWERED);
            pool.give(request);
        } else {
            refuse(request, Refusal.BAD_REPLY);
        }
    }

    /** It is not run, or what became of it is not known. */
    void refuse(Request request, Refusal why) {
        counters.add(Total.REFUSED);
        counters.add(why);
        counters.add(request.known().process(), OfProcess.REFUSED);
        if (request.origin == Request.Origin.NESTED) {
            nested.refused(request, why);
        } else {
            writer.refuse(request, why);
        }
        pool.give(request);
    }
}
