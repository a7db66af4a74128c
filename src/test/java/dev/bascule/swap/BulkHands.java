package dev.bascule.swap;

import dev.bascule.agent.memory.PageAgentEnd;
import dev.bascule.agent.memory.PageHostEnd;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * In whose hands each page token is, seen from outside: batch and version, from the messages that cross both ends. Throws
 * where one is in two, goes over without a commit, comes from nobody, or is taken after its epoch.
 */
final class BulkHands {
    private static final long SCANS = 1;
    private static final long DECISIONS = 4;

    private final SwapBulkHost swap;
    private final SwapLedger hostLedger;
    /** Tokens that the host sent; those of them that an agent has, or has promised, by its epoch. */
    private final Set<Long> sent = new HashSet<>();
    private final Map<Long, Integer> agents = new HashMap<>();
    private final Map<Long, Integer> promised = new HashMap<>();
    private final Set<Long> gone = new HashSet<>();
    private final Set<Integer> moving = new HashSet<>();
    private final Map<Integer, Integer> received = new HashMap<>();
    private final Map<Integer, Integer> newest = new HashMap<>();
    private int taken;

    BulkHands(SwapBulkHost swap, SwapLedger hostLedger) {
        this.swap = swap;
        this.hostLedger = hostLedger;
    }

    static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private static long kind(long[] words) {
        return words[0] >>> 56;
    }

    private static int entries(long[] words) {
        return (int) (words[0] >>> 32) & 0xffff;
    }

    private static String name(long token) {
        return "batch " + (token >>> 32) + " in version " + (int) token;
    }

    /** Decisions that the host took. */
    int taken() {
        return taken;
    }

    /** The pages of a batch change: if it is with the host now, its token may not go over any more. */
    void changes(int batch) {
        require(newest.containsKey(batch), "batch " + batch + " was never scanned");
        long token = (long) batch << 32 | newest.getOrDefault(batch, 0) & 0xffff_ffffL;
        if (parcelsGiven(swap.epoch()) < 2) { // the first tells of the period, the second has the batches
            gone.add(token);
        }
    }

    /** Whatever an agent has is the host's again. */
    void fenced() {
        gone.addAll(sent);
    }

    /** The host acts on a batch. */
    void moves(int batch) {
        require(moving.contains(batch), "batch " + batch + " is moved, and no decision about it was taken");
    }

    private int parcelsGiven(int epoch) {
        int count = 0;
        for (int i = 0; i < hostLedger.size(); i++) {
            count += hostLedger.outcome(i) == SwapLedger.COMMITTED && hostLedger.epoch(i) == epoch
                    && hostLedger.given(i) != Token.NONE ? 1 : 0;
        }
        return count;
    }

    private void sends(long[] words) {
        for (int i = 0; kind(words) == SCANS && i < entries(words); i++) {
            long token = words[1 + 2 * i];
            require(sent.add(token), name(token) + " is sent twice");
            newest.put((int) (token >>> 32), (int) token);
        }
    }

    private void receives(int epoch, long[] words) {
        int count = received.merge(epoch, 1, Integer::sum);
        require(count <= parcelsGiven(epoch), "an agent has " + count + " parcels of epoch " + epoch
                + ", and the host gave it " + parcelsGiven(epoch));
        for (int i = 0; kind(words) == SCANS && i < entries(words); i++) {
            long token = words[1 + 2 * i];
            require(sent.contains(token), name(token) + " was never sent");
            require(epoch < swap.epoch() || !gone.contains(token), name(token) + " had ended, and changed hands");
            require(agents.put(token, epoch) == null, name(token) + " is in two hands");
        }
    }

    private void gives(int epoch, long[] words) {
        for (int i = 0; i < entries(words); i++) {
            long token = words[1 + 2 * i];
            require(Integer.valueOf(epoch).equals(agents.get(token)), name(token) + " is not the agent's to give");
            require(promised.put(token, epoch) == null, name(token) + " is given back twice");
        }
    }

    private void takes(long[] words) {
        require(kind(words) == DECISIONS, "the host took a message of kind " + kind(words));
        moving.clear();
        for (int i = 0; i < entries(words); i++) {
            long token = words[1 + 2 * i];
            int epoch = promised.getOrDefault(token, 0);
            promised.remove(token);
            require(epoch > 0, name(token) + " is taken, and no agent had promised it");
            require(epoch == swap.epoch(), name(token) + " of epoch " + epoch + " is taken in epoch " + swap.epoch());
            moving.add((int) (token >>> 32));
            taken++;
        }
    }

    PageHostEnd host(PageHostEnd end) {
        return new PageHostEnd() {
            private long[] seen = new long[0];

            @Override
            public int maxWords() {
                return end.maxWords();
            }

            @Override
            public void askBefore(Fresh fresh) {
                end.askBefore(fresh);
            }

            @Override
            public boolean send(long[] words, int count) {
                boolean isSent = end.send(words, count);
                if (isSent) {
                    sends(words);
                }
                return isSent;
            }

            @Override
            public void commit() {
                end.commit();
            }

            @Override
            public void heal() {
                end.heal();
            }

            @Override
            public int peek(long[] into) {
                int count = end.peek(into);
                seen = into;
                return count;
            }

            @Override
            public boolean take() {
                boolean isTaken = end.take();
                if (isTaken) {
                    takes(seen);
                }
                return isTaken;
            }
        };
    }

    PageAgentEnd agent(int epoch, PageAgentEnd end) {
        return new PageAgentEnd() {
            @Override
            public int maxWords() {
                return end.maxWords();
            }

            @Override
            public int receive(long[] into) {
                int count = end.receive(into);
                if (count > 0) {
                    receives(epoch, into);
                }
                return count;
            }

            @Override
            public boolean send(long[] words, int count) {
                boolean isGiven = end.send(words, count);
                if (isGiven) {
                    gives(epoch, words);
                }
                return isGiven;
            }

            @Override
            public void commit() {
                end.commit();
            }

            @Override
            public void heal() {
                end.heal();
            }
        };
    }
}
