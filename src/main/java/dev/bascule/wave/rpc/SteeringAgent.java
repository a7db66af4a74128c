package dev.bascule.wave.rpc;

import dev.bascule.agent.SteeringPolicy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The agent on the NIC: gives requests to cores as its policy says, and puts answers together. A core answers in the
 * order of its requests, so an answer also shows which earlier ones were lost; they are counted, and their load is taken
 * off.
 * <p>
 * Thread rule: one thread. Allocates nothing after construction.
 */
public final class SteeringAgent {
    private static final int HEAL_AFTER = 4096;

    private final SteeringPolicy policy;
    private final CoreLink[] cores;
    private final int[] sent;
    private final int[] answered;
    private final int[][] flows;
    private final boolean[] dirty;
    private final long[] request;
    private final MemorySegment requestBytes;
    private final long[][] answers;
    private final MemorySegment[] answerBytes;
    private final int[] parts;
    private final long[] line = new long[6];
    private int at;
    private int idle;
    private long refused;
    private long lost;
    private long damaged;

    /**
     * An agent without requests.
     *
     * @param most requests a core may have at a time; a power of two, at most the entries of its queue
     */
    public SteeringAgent(SteeringPolicy policy, List<CoreLink> cores, int most) {
        if (Integer.bitCount(most) != 1) {
            throw new IllegalArgumentException("steering: up to " + most + " requests a core; not a power of two");
        }
        this.policy = policy;
        this.cores = cores.toArray(CoreLink[]::new);
        int n = cores.size();
        sent = new int[n];
        answered = new int[n];
        flows = new int[n][most];
        dirty = new boolean[n];
        request = new long[cores.get(0).requests().maxWords()];
        requestBytes = MemorySegment.ofArray(request);
        answers = new long[n][RpcFormat.words(RpcFormat.MOST_BYTES) + RpcFormat.PART_WORDS];
        answerBytes = new MemorySegment[n];
        for (int core = 0; core < n; core++) {
            answerBytes[core] = MemorySegment.ofArray(answers[core]);
        }
        parts = new int[n];
    }

    /**
     * Gives a request to a core; it leaves with {@link #commit}.
     *
     * @param flow hash of its flow
     * @return false when no core may take it, or it is too long: it is for the caller to drop it, or to try again
     */
    public boolean steer(int flow, MemorySegment memory, long offset, int lengthBytes) {
        int words = RpcFormat.words(lengthBytes);
        if (words >= request.length || lengthBytes > RpcFormat.MOST_BYTES) {
            refused++;
            return false;
        }
        int core = policy.core(flow);
        if (core == SteeringPolicy.NONE) {
            refused++;
            return false;
        }
        request[0] = RpcFormat.request(sent[core], lengthBytes);
        request[words] = 0; // the end of the last word
        MemorySegment.copy(memory, offset, requestBytes, 8, lengthBytes);
        if (sent[core] - answered[core] == flows[core].length
                || !cores[core].requests().send(request, 0, 1 + words)) {
            policy.done(flow, core);
            refused++;
            return false;
        }
        flows[core][sent[core]++ & flows[core].length - 1] = flow;
        dirty[core] = true;
        return true;
    }

    /** Makes the requests visible to their cores. */
    public void commit() {
        for (int core = 0; core < cores.length; core++) {
            if (dirty[core]) {
                dirty[core] = false;
                cores[core].requests().commit();
            }
        }
    }

    /**
     * The next answer that is whole.
     *
     * @param into where its frame is written
     * @param room bytes there; a longer answer is dropped and counted as damaged
     * @return its length, 0 when there is none (yet)
     */
    public int answer(MemorySegment into, long offset, int room) {
        for (int i = 0; i < cores.length; i++) {
            int core = at;
            while (cores[core].answers().peek(line)) {
                cores[core].answers().consume();
                idle = 0;
                int length = take(core);
                if (length > 0 && length <= room) {
                    MemorySegment.copy(answerBytes[core], ValueLayout.JAVA_BYTE, 0, into, ValueLayout.JAVA_BYTE,
                            offset, length);
                    return length;
                }
                damaged += length > room ? 1 : 0;
            }
            at = at + 1 == cores.length ? 0 : at + 1;
        }
        if (++idle == HEAL_AFTER) {
            idle = 0;
            heal();
        }
        return 0;
    }

    /** A line of an answer; returns the answer's length when it was the last, else 0. */
    private int take(int core) {
        int number = RpcFormat.number(line[0]);
        int length = RpcFormat.answerBytes(line[0]);
        int part = RpcFormat.part(line[0]);
        int last = RpcFormat.parts(length) - 1;
        if (number - answered[core] < 0 || sent[core] - number <= 0 || part > last) {
            damaged++; // of no request that is under way
            return 0;
        }
        while (answered[core] != number) { // requests or answers before it that never came
            lost++;
            done(core);
        }
        if (part != parts[core]) {
            damaged++;
            parts[core] = -1; // the rest of this one is of no use either
        } else {
            System.arraycopy(line, 1, answers[core], part * RpcFormat.PART_WORDS, RpcFormat.PART_WORDS);
            parts[core]++;
        }
        if (part < last) {
            return 0;
        }
        boolean whole = parts[core] == last + 1;
        done(core);
        return whole ? length : 0;
    }

    private void done(int core) {
        policy.done(flows[core][answered[core]++ & flows[core].length - 1], core);
        parts[core] = 0;
    }

    /** Nothing came for long: descriptors may have been lost on the way. */
    private void heal() {
        for (int core = 0; core < cores.length; core++) {
            if (sent[core] != answered[core]) {
                cores[core].requests().heal();
                cores[core].answers().recover(cores[core].answers().taken());
            }
        }
    }

    /** Requests under way. */
    public int underWay() {
        int sum = 0;
        for (int core = 0; core < cores.length; core++) {
            sum += sent[core] - answered[core];
        }
        return sum;
    }

    /** Requests given to a core so far. */
    public int requests(int core) {
        return sent[core];
    }

    /** Requests for which no core had room, or that were too long. */
    public long refused() {
        return refused;
    }

    /** Requests that were never answered although later ones were. */
    public long lost() {
        return lost;
    }

    /** Answers that could not be put together, or did not fit. */
    public long damaged() {
        return damaged;
    }
}
