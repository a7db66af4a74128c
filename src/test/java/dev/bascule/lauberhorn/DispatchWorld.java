package dev.bascule.lauberhorn;

import dev.bascule.models.StateBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A small machine of {@link DispatchModel}: its parts, what the NIC does to it, and its state as bytes. */
abstract class DispatchWorld {
    /** Rules that are switched off: each must be found. */
    enum Mutant {
        /** The kernel starts a thread that it knows to be on another core. */
        TWO_CORES,
        /** The kernel starts a thread by a decision from before its process died. */
        ANY_LIFE,
        /** What was with a process that died is queued again instead of refused. */
        AGAIN,
        /** An endpoint goes on with the same epoch after its thread died. */
        SAME_EPOCH,
        /** The reply is taken without asking whether it is one of this request. */
        ANY_REPLY,
        /** The head is stored before the rest of the line. */
        HEAD_FIRST,
        /** The other line is filled before the one before has come back. */
        NO_FETCH
    }

    /**
     * A machine, and how often what may happen.
     *
     * @param owners process of each thread
     * @param targets process of each request
     * @param deaths processes that die
     * @param kernelDeaths kernels that die
     * @param restarts of the NIC
     * @param decisions of the policy
     * @param expiries loads that are answered by TRYAGAIN
     * @param misdeeds of threads: a line given back without a reply, a load of another line than the next
     */
    record Setting(int cores, int[] owners, int[] targets, int deaths, int kernelDeaths, int restarts, int decisions,
            int expiries, int misdeeds, int queueEntries, Set<Mutant> mutants) {
        static Setting of(int cores, int[] owners, int[] targets) {
            return new Setting(cores, owners, targets, 0, 0, 0, 3, 1, 0, targets.length, EnumSet.noneOf(Mutant.class));
        }

        Setting withDeaths(int processes, int kernels, int nic) {
            return new Setting(cores, owners, targets, processes, kernels, nic, decisions, expiries, misdeeds,
                    queueEntries,
                    mutants);
        }

        Setting withSteps(int ofPolicy, int ofTime) {
            return new Setting(cores, owners, targets, deaths, kernelDeaths, restarts, ofPolicy, ofTime, misdeeds,
                    queueEntries,
                    mutants);
        }

        Setting withQueue(int entries) {
            return new Setting(cores, owners, targets, deaths, kernelDeaths, restarts, decisions, expiries, misdeeds,
                    entries,
                    mutants);
        }

        Setting with(Mutant mutant) {
            return new Setting(cores, owners, targets, deaths, kernelDeaths, restarts, decisions, expiries,
                    misdeeds, queueEntries, EnumSet.of(mutant));
        }

        Setting withMisdeeds(int many) {
            return new Setting(cores, owners, targets, deaths, kernelDeaths, restarts, decisions, expiries, many,
                    queueEntries, mutants);
        }
    }

    // of the CPU's side, kernel or thread
    static final int OFF = 0;
    static final int LOADS = 1;
    static final int WAITS = 2;
    static final int RUNS = 3;
    static final int WROTE = 4;
    static final int RETIRED = 5;

    // of a request
    static final int UNSENT = 0;
    static final int SENT = 1;
    static final int ANSWERED = 2;
    static final int REFUSED = 3;

    static final int PAYLOADS = 8;
    /** Of a DISPATCH: the thread + 1; above them the life. */
    static final int THREAD_BITS = 3;

    final Setting setting;
    final int cores;
    final int threads;
    final int processes;
    final StateBuffer in = new StateBuffer();
    final StateBuffer out = new StateBuffer();
    final NicEndpoint[] ends;
    final NicDispatch dispatch;

    // the state beside the machines: endpoints are the kernels', then the threads'
    final int[] cpuEpoch;
    final int[] cpuNumber;
    final int[] cpuState;
    final int[] current;
    final boolean[] interrupted;
    final long[] loadWord;
    final long[][] heads;
    final int[][] payload;
    /** Stores of the NIC that are on their way: line and what, oldest first; at most two. */
    final int[] postedLine;
    final int[] postedPayload;
    final boolean[] headPosted;
    final long[] postedHead;
    final int[] status;
    final int[] ran;
    final int[] left = new int[6];
    @Nullable
    String wrong;
    final Map<Long, Integer> numbers = new HashMap<>();
    final List<Long> words = new ArrayList<>();

    DispatchWorld(Setting setting) {
        this.setting = setting;
        cores = setting.cores();
        threads = setting.owners().length;
        processes = Arrays.stream(setting.owners()).max().orElse(0);
        int n = cores + threads;
        ends = new NicEndpoint[n];
        for (int i = 0; i < n; i++) {
            ends[i] = NicEndpoint.receive(i < cores ? 0 : setting.owners()[i - cores]);
        }
        dispatch = new NicDispatch(Arrays.copyOf(ends, cores), Arrays.copyOfRange(ends, cores, n), processes,
                setting.queueEntries(), new Effects());
        cpuEpoch = new int[n];
        cpuNumber = new int[n];
        cpuState = new int[n];
        current = new int[cores];
        interrupted = new boolean[cores];
        loadWord = new long[n];
        heads = new long[n][2];
        payload = new int[n][2];
        postedLine = new int[n];
        postedPayload = new int[n];
        headPosted = new boolean[n];
        postedHead = new long[n];
        status = new int[setting.targets().length];
        ran = new int[setting.targets().length];
    }

    boolean has(Mutant mutant) {
        return setting.mutants().contains(mutant);
    }

    // ---- effects of the NIC --------------------------------------------------------------------------------------

    private final class Effects implements NicEffects {
        @Override
        public void deliver(int thread, int request) {
            fill(cores + thread, LineHead.REQUEST, request + 1);
        }

        @Override
        public void yieldNow(int thread) {
            fill(cores + thread, LineHead.YIELD_NOW, 0);
        }

        @Override
        public void dispatch(int core, int thread, int life) {
            fill(core, LineHead.DISPATCH, life << THREAD_BITS | thread + 1);
        }

        @Override
        public void retire(int core) {
            fill(core, LineHead.RETIRE, 0);
        }

        @Override
        public void interrupt(int core) {
            interrupted[core] = true;
        }

        @Override
        public void refuse(int request, Refusal why) {
            settle(request, REFUSED);
        }
    }

    void settle(int request, int to) {
        require(status[request] == SENT, "AnsweredOnce");
        status[request] = to;
    }

    void require(boolean holds, String invariant) {
        if (!holds && wrong == null) {
            wrong = invariant;
        }
    }

    void fill(int end, int kind, int value) {
        int actions = ends[end].fill(kind);
        require(actions == NicEndpoint.FILL, "OnlyHeldLoadsAreAnswered");
        post(end, value);
    }

    void post(int end, int value) {
        int line = ends[end].line();
        boolean waited = cpuState[end] == WAITS && (cpuNumber[end] & 1) == line && cpuEpoch[end] == ends[end].epoch();
        boolean isOver = cpuState[end] == OFF || cpuEpoch[end] != ends[end].epoch();
        require(waited || isOver, "LinesAreExclusive");
        require(postedLine[end] == 0, "LinesAreExclusive");
        postedLine[end] = line + 1;
        postedPayload[end] = value;
        postedHead[end] = ends[end].head();
        headPosted[end] = false;
        if (has(Mutant.HEAD_FIRST)) {
            heads[end][line] = postedHead[end];
        }
    }

    void arrives(int end) {
        int line = postedLine[end] - 1;
        if (!headPosted[end]) {
            payload[end][line] = postedPayload[end];
            headPosted[end] = true;
        } else {
            heads[end][line] = postedHead[end];
            postedLine[end] = 0;
        }
    }

    // ---- states as bytes -----------------------------------------------------------------------------------------

    static final String[] INVARIANTS = { "AnsweredOnce", "OnlyHeldLoadsAreAnswered", "LinesAreExclusive",
            "AReplyHasARequest", "TheReplyIsOfTheRequest", "LinesAreWhole", "AThreadOnOneCore", "Isolation",
            "RunOnce" };

    byte[] save() {
        out.clear();
        out.put(wrong == null ? 0 : 1 + Arrays.asList(INVARIANTS).indexOf(wrong));
        for (int end = 0; end < ends.length; end++) {
            saveEnd(end);
        }
        for (int core = 0; core < cores; core++) {
            out.put(current[core] + 1);
            out.put((interrupted[core] ? 1 : 0) | (dispatch.retired[core] ? 2 : 0) | (dispatch.fresh[core] ? 4 : 0));
            out.put(dispatch.running[core] + 1);
            out.put(dispatch.next[core] + 2);
        }
        for (int thread = 0; thread < threads; thread++) {
            out.put(dispatch.coreOf[thread] + 1);
            out.put(dispatch.boundTo[thread] + 1);
            out.put(dispatch.serving[thread] + 1);
        }
        for (int process = 1; process <= processes; process++) {
            RequestQueue queue = dispatch.queues[process];
            out.put(queue.size());
            for (int i = 0; i < queue.size(); i++) {
                out.put(queue.get(i));
            }
        }
        for (int request = 0; request < status.length; request++) {
            out.put(status[request] << 3 | ran[request]);
        }
        for (int many : left) {
            out.put(many);
        }
        return out.toBytes();
    }

    /** Heads are few, and long: they are numbered. */
    int numberOf(long head) {
        return numbers.computeIfAbsent(head, h -> {
            words.add(h);
            return words.size() - 1;
        });
    }

    long headOf(int number) {
        return words.get(number);
    }

    void saveEnd(int end) {
        NicEndpoint nic = ends[end];
        out.put(nic.epoch);
        out.put(nic.filled);
        out.put(nic.phase << 1 | (nic.serving ? 1 : 0));
        out.put(cpuEpoch[end]);
        out.put(cpuNumber[end]);
        out.put(cpuState[end]);
        out.put(numberOf(loadWord[end]));
        for (int line = 0; line < 2; line++) {
            out.put(numberOf(heads[end][line]));
            out.put(payload[end][line] + PAYLOADS);
        }
        out.put(postedLine[end] << 1 | (headPosted[end] ? 1 : 0));
        out.put(postedLine[end] == 0 ? 0 : postedPayload[end]);
        out.put(postedLine[end] == 0 ? 0 : numberOf(postedHead[end]));
    }

    void load(byte[] state) {
        in.wrap(state);
        int invariant = in.getInt();
        wrong = invariant == 0 ? null : INVARIANTS[invariant - 1];
        for (int end = 0; end < ends.length; end++) {
            loadEnd(end);
        }
        for (int core = 0; core < cores; core++) {
            current[core] = in.getInt() - 1;
            int flags = in.getInt();
            interrupted[core] = (flags & 1) != 0;
            dispatch.retired[core] = (flags & 2) != 0;
            dispatch.fresh[core] = (flags & 4) != 0;
            dispatch.running[core] = in.getInt() - 1;
            dispatch.next[core] = in.getInt() - 2;
        }
        for (int thread = 0; thread < threads; thread++) {
            dispatch.coreOf[thread] = in.getInt() - 1;
            dispatch.boundTo[thread] = in.getInt() - 1;
            dispatch.serving[thread] = in.getInt() - 1;
        }
        for (int process = 1; process <= processes; process++) {
            RequestQueue queue = dispatch.queues[process];
            while (queue.size() > 0) {
                queue.pop();
            }
            for (int i = in.getInt(); i > 0; i--) {
                queue.push(in.getInt());
            }
            dispatch.live[process] = true;
        }
        for (int request = 0; request < status.length; request++) {
            int both = in.getInt();
            status[request] = both >> 3;
            ran[request] = both & 7;
        }
        for (int i = 0; i < left.length; i++) {
            left[i] = in.getInt();
        }
    }

    void loadEnd(int end) {
        NicEndpoint nic = ends[end];
        nic.epoch = in.getInt();
        nic.filled = in.getInt();
        int both = in.getInt();
        nic.phase = (byte) (both >> 1);
        nic.serving = (both & 1) != 0;
        cpuEpoch[end] = in.getInt();
        cpuNumber[end] = in.getInt();
        cpuState[end] = in.getInt();
        loadWord[end] = headOf(in.getInt());
        for (int line = 0; line < 2; line++) {
            heads[end][line] = headOf(in.getInt());
            payload[end][line] = in.getInt() - PAYLOADS;
        }
        int posted = in.getInt();
        postedLine[end] = posted >> 1;
        headPosted[end] = (posted & 1) != 0;
        postedPayload[end] = in.getInt();
        postedHead[end] = headOf(in.getInt());
    }
}
