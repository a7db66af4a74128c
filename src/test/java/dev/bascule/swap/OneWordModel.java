package dev.bascule.swap;

import dev.bascule.models.Model;
import dev.bascule.models.StateBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The one-word swap for the explorer: host and agents with their production transitions on one word. Between reading
 * the word and the compare-and-swap anything may happen, because a failed compare-and-swap changes nothing; ablations
 * take that away.
 */
final class OneWordModel implements Model {
    /** What the harness undoes. */
    enum Ablation {
        NONE,
        /** The agent's update is a read followed by a plain store. */
        SPLIT,
        /** The agent does not compare the epoch. */
        NO_EPOCH
    }

    private static final int EPOCHS = 2;
    private static final int SWAPS = 3;
    private static final String[] STEPS = { "initially", "host offers", "host commits", "host reverses", "host fences",
            "agent reflects", "agent withdraws", "agent looks", "agent reads, to store later", "agent stores" };

    private final Ablation ablation;
    private final boolean zombie;
    private final StateBuffer in = new StateBuffer();
    private final StateBuffer out = new StateBuffer();

    private long word;
    private int hostEpoch;
    private int hostN;
    /** For each agent (its epoch is its number): number seen, promised number, pending plain store. */
    private final int[] seen = new int[EPOCHS + 1];
    private final int[] promised = new int[EPOCHS + 1];
    private final long[] toStore = new long[EPOCHS + 1];
    private final int[] hostOut = new int[(EPOCHS + 1) * (SWAPS + 1)];
    private final int[] agentOut = new int[(EPOCHS + 1) * (SWAPS + 1)];
    private int withdrawn;
    private int endedTwice;
    private byte[] from = {};
    private Sink sink = (label, state) -> {};

    OneWordModel(Ablation ablation, boolean zombie) {
        this.ablation = ablation;
        this.zombie = zombie;
    }

    @Override
    public void initial(Sink to) {
        word = OneWord.of(OneWord.IDLE, 1, 0, 0);
        hostEpoch = 1;
        to.next(0, save());
    }

    @Override
    public void successors(byte[] state, Sink to) {
        from = state;
        sink = to;
        load(state);
        host();
        for (int epoch = 1; epoch <= hostEpoch; epoch++) {
            if (zombie || epoch == hostEpoch) {
                agent(epoch);
            }
        }
    }

    private void emit(int step) {
        sink.next(step, save());
        load(from);
    }

    private void host() {
        int key = hostEpoch * (SWAPS + 1) + hostN;
        long offered = OneWord.offer(word, hostEpoch, hostN + 1, 1);
        if (offered != word && hostN < SWAPS) {
            word = offered;
            hostN++;
            emit(1);
        }
        long committed = OneWord.commit(word, hostEpoch, hostN);
        if (committed != word) {
            word = committed;
            endedTwice |= hostOut[key] != 0 ? 1 : 0;
            hostOut[key] = 2 + OneWord.token(word);
            emit(2);
        }
        long reversed = OneWord.reverse(word, hostEpoch, hostN);
        if (reversed != word) {
            word = reversed;
            hostOut[key] = 1;
            emit(3);
        }
        if (hostEpoch < EPOCHS) {
            if (OneWord.offered(word) || OneWord.state(word) == OneWord.REFLECTED) {
                hostOut[key] = 1;
            }
            hostEpoch++;
            hostN = 0;
            word = OneWord.fence(word, hostEpoch);
            emit(4);
        }
    }

    private void agent(int epoch) {
        reflect(epoch);
        int own = ablation == Ablation.NO_EPOCH ? OneWord.epoch(word) : epoch;
        long withdraw = OneWord.withdraw(word, own, promised[epoch]);
        if (promised[epoch] > 0 && withdraw != word) {
            word = withdraw;
            agentOut[epoch * (SWAPS + 1) + promised[epoch]] = 1;
            promised[epoch] = 0;
            withdrawn = 1;
            emit(6);
        }
        if (promised[epoch] > 0 && OneWord.epoch(word) == epoch && (OneWord.n(word) > promised[epoch]
                || OneWord.state(word) != OneWord.REFLECTED)) {
            int key = epoch * (SWAPS + 1) + promised[epoch];
            agentOut[key] = OneWord.tellsCommit(word) ? 2 + 10 * epoch + promised[epoch] : 1;
            promised[epoch] = 0;
            emit(7);
        }
        if (toStore[epoch] != 0) {
            word = toStore[epoch];
            toStore[epoch] = 0;
            promised[epoch] = OneWord.n(word);
            emit(9);
        }
    }

    private void reflect(int epoch) {
        int n = OneWord.n(word);
        int own = ablation == Ablation.NO_EPOCH ? OneWord.epoch(word) : epoch;
        long reflected = OneWord.reflect(word, own, n, 10 * epoch + n);
        if (reflected == word || n <= seen[epoch] || promised[epoch] > 0) {
            return;
        }
        seen[epoch] = n;
        if (ablation == Ablation.SPLIT) {
            toStore[epoch] = reflected;
            emit(8);
        } else {
            word = reflected;
            promised[epoch] = n;
            emit(5);
        }
    }

    @Override
    public @Nullable String violated(byte[] state) {
        load(state);
        if (endedTwice != 0) {
            return "ExactlyOnce";
        }
        for (int epoch = 1; epoch <= EPOCHS; epoch++) {
            for (int n = 1; n <= SWAPS; n++) {
                int host = hostOut[epoch * (SWAPS + 1) + n];
                int agent = agentOut[epoch * (SWAPS + 1) + n];
                if (agent != 0 && host != 0 && agent != host) {
                    return "Agreement";
                }
                if (agent > 1 && host == 0) {
                    return "Agreement";
                }
                if (host > 1 && host != 2 + 10 * epoch + n) {
                    return "Owner"; // committed what the agent of that epoch did not promise for that swap
                }
            }
        }
        return null;
    }

    boolean withdrew(byte[] state) {
        load(state);
        return withdrawn > 0;
    }

    @Override
    public String label(int label) {
        return STEPS[label];
    }

    @Override
    public String show(byte[] state) {
        load(state);
        return "state " + OneWord.state(word) + " (" + OneWord.epoch(word) + "," + OneWord.n(word) + ") token "
                + OneWord.token(word);
    }

    private byte[] save() {
        out.clear();
        out.put(word >>> 32);
        out.put(word & 0xFFFF_FFFFL);
        out.put(hostEpoch);
        out.put(hostN);
        out.put(withdrawn | endedTwice << 1);
        for (int i = 1; i <= EPOCHS; i++) {
            out.put(seen[i]);
            out.put(promised[i]);
            out.put(toStore[i] >>> 32);
            out.put(toStore[i] & 0xFFFF_FFFFL);
        }
        for (int i = 0; i < hostOut.length; i++) {
            out.put(hostOut[i]);
            out.put(agentOut[i]);
        }
        return out.toBytes();
    }

    private void load(byte[] state) {
        in.wrap(state);
        word = in.get() << 32 | in.get();
        hostEpoch = in.getInt();
        hostN = in.getInt();
        int flags = in.getInt();
        withdrawn = flags & 1;
        endedTwice = flags >> 1;
        for (int i = 1; i <= EPOCHS; i++) {
            seen[i] = in.getInt();
            promised[i] = in.getInt();
            toStore[i] = in.get() << 32 | in.get();
        }
        for (int i = 0; i < hostOut.length; i++) {
            hostOut[i] = in.getInt();
            agentOut[i] = in.getInt();
        }
    }
}
