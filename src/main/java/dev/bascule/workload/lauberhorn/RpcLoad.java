package dev.bascule.workload.lauberhorn;

import dev.bascule.ffi.Patience;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.ValueType;
import dev.bascule.rpc.Xdr;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Calls of {@link DemoService}s: open loop at a rate, each call due at its time whatever became of those before, or closed
 * loop with so many calls under way, each due as soon as there are fewer. No call is sent twice. Latency is from the time
 * that a call was due: before it is sent, and before any attempt for which the channel had no room.
 * <p>
 * Thread rule: one thread. Allocation-free once its tables have grown.
 */
public final class RpcLoad {
    /**
     * Plan of the calls.
     *
     * @param count calls; {@link Long#MAX_VALUE}: until stopped
     * @param perSecond of an open loop, Poisson; 0: closed
     * @param underWay of a closed loop
     * @param services that are called in turn at random
     * @param workNanos time to work, each
     * @param payloadBytes filling of a call
     * @param seed arrivals and services
     */
    public record Plan(long count, double perSecond, int underWay, int services, long workNanos, int payloadBytes,
            long seed) {
        /** Checks the numbers. */
        public Plan {
            if (count < 1 || perSecond < 0 || underWay < 1 || services < 1 || workNanos < 0 || payloadBytes < 0
                    || payloadBytes > 16_000) {
                throw new IllegalArgumentException("a load of " + count + " calls, " + perSecond + "/s, " + underWay
                        + " under way, " + services + " services, " + workNanos + " ns, " + payloadBytes
                        + " bytes: counts from 1, payloads up to 16000");
            }
        }
    }

    private static final int BURST = 32;
    private static final int RING = 1 << 20; // calls whose time is known; a power of two

    private final Plan plan;
    private final RpcAccount account = new RpcAccount();
    private final LongConsumer latency;
    private final SplittableRandom random;
    private final long[] words;
    private final long[] dueNanos = new long[RING];
    private final int[] service = new int[RING];
    private final long[] byStatus = new long[OncRpc.SYSTEM_ERR + 1];
    private RpcChannel channel = new NoChannel();
    private long next;
    private long nextDueNanos;
    private long firstNanos;
    private long lastNanos;
    private boolean isDrawn;

    /** Until {@link #over}. */
    private static final class NoChannel implements RpcChannel {
        @Override
        public boolean call(int xid, int program, int version, int procedure,
                dev.bascule.rpc.Signature signature, long[] words, int bytes) {
            throw new IllegalStateException("this load goes over no channel yet");
        }

        @Override
        public int poll(int budget) {
            return 0;
        }
    }

    /** A load whose latencies, ns, go to the consumer. */
    public RpcLoad(Plan plan, LongConsumer latency) {
        this.plan = plan;
        this.latency = latency;
        random = new SplittableRandom(plan.seed);
        words = new long[4 + Xdr.words(plan.payloadBytes)];
        words[3] = ValueType.reference(4, plan.payloadBytes);
    }

    /** Goes over this channel, whose replies go to {@link #reply}. */
    public RpcLoad over(RpcChannel newChannel) {
        channel = newChannel;
        return this;
    }

    /** A reply came; see {@link WireClient.Replies}. */
    public void reply(long id, int status, byte[] payload, int offset, int bytes) {
        long number = nearest(id);
        boolean isResult = status == OncRpc.SUCCESS;
        int slot = (int) number & RING - 1;
        boolean isRight = !isResult || bytes == 16 && Xdr.getInt(payload, offset + 4) == service[slot]
                && Xdr.getInt(payload, offset + 12) == (int) number;
        if (account.replied(number, isResult, isRight)) {
            lastNanos = System.nanoTime();
            byStatus[Math.clamp(status, 0, byStatus.length - 1)]++;
            if (isResult) {
                latency.accept(lastNanos - dueNanos[slot]);
            }
        }
    }

    /** The number of a call, of which the wire carries 32 bits. */
    private long nearest(long id) {
        return next + (int) ((int) id - (int) next);
    }

    /**
     * Sends all calls and waits for their replies. A closed loop in which nothing is answered any more sends no more.
     *
     * @param isOver asked now and then; true ends it
     * @param patienceNanos how long to wait for a reply once all are sent, or as many as may be under way
     */
    public void run(BooleanSupplier isOver, long patienceNanos) {
        firstNanos = System.nanoTime();
        lastNanos = firstNanos;
        nextDueNanos = firstNanos;
        Patience patience = new Patience(patienceNanos);
        while (next < plan.count && !isOver.getAsBoolean()) {
            int work = send() + channel.poll(BURST);
            if (work != 0) {
                patience.restart();
                continue;
            }
            if (plan.perSecond == 0 && patience.isOver()) {
                return;
            }
            Thread.onSpinWait();
            Thread.yield();
        }
        patience.restart();
        while (underWay() > 0 && !patience.isOver()) {
            if (channel.poll(BURST) > 0) {
                patience.restart();
            } else {
                Thread.yield();
            }
        }
    }

    private int send() {
        int sent = 0;
        while (sent < BURST && next < plan.count && isDue() && account.open() < RING / 2) {
            int slot = (int) next & RING - 1;
            if (!isDrawn) {
                isDrawn = true;
                service[slot] = plan.services == 1 ? 0 : random.nextInt(plan.services);
                dueNanos[slot] = plan.perSecond > 0 ? nextDueNanos : System.nanoTime();
            }
            words[0] = service[slot];
            words[1] = next;
            words[2] = plan.workNanos;
            if (!channel.call((int) next, DemoService.PROGRAM + service[slot], 1, DemoService.WORK,
                    DemoService.WORK_SIGNATURE, words, words.length * Long.BYTES)) {
                break;
            }
            account.sent(next++);
            isDrawn = false;
            if (plan.perSecond > 0) {
                nextDueNanos += (long) (-Math.log(1 - random.nextDouble()) * 1e9 / plan.perSecond);
            }
            sent++;
        }
        return sent;
    }

    /** Calls that may still be answered. */
    private long underWay() {
        return account.open() - channel.lost();
    }

    private boolean isDue() {
        return plan.perSecond > 0 ? System.nanoTime() - nextDueNanos >= 0 : underWay() < plan.underWay;
    }

    /** Account of the calls. */
    public RpcAccount account() {
        return account;
    }

    /** Calls and replies that the channel is known to have lost. */
    public long lost() {
        return channel.lost();
    }

    /** Times that the server's machine said that nobody listens. */
    public long unreachable() {
        return channel.unreachable();
    }

    /** Calls of which nobody knows what became: neither answered nor refused nor lost. Below 0: more was lost than is missing. */
    public long unaccounted() {
        return underWay();
    }

    /** Whether each call has exactly one reply, of its own, or is known to be lost. */
    public boolean isClean() {
        return unaccounted() == 0 && account.twice() == 0 && account.unknown() == 0 && account.wrong() == 0;
    }

    /** First replies with a status of ONC RPC, from {@link OncRpc#SUCCESS} to {@link OncRpc#SYSTEM_ERR}. */
    public long replies(int status) {
        return byStatus[status];
    }

    /** From the first call to the last reply, ns. */
    public long nanos() {
        return Math.max(1, lastNanos - firstNanos);
    }
}
