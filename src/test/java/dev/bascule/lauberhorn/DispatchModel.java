package dev.bascule.lauberhorn;

import dev.bascule.models.Model;
import dev.bascule.models.StateBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The production machines of both ends and the NIC's dispatcher on a small machine, for the explorer: cores with a
 * kernel, processes with threads, lines whose stores arrive one after the other, a policy that may decide anything at any
 * time, and processes, kernels and the NIC dying at any step. What nobody may ever see is checked from outside.
 */
final class DispatchModel implements Model {
    /** Rules that are switched off: each must be found. */
    enum Mutant {
        /** The kernel starts a thread that it knows to be on another core. */
        TWO_CORES,
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
    private static final int OFF = 0;
    private static final int LOADS = 1;
    private static final int WAITS = 2;
    private static final int RUNS = 3;
    private static final int WROTE = 4;
    private static final int RETIRED = 5;

    // of a request
    private static final int UNSENT = 0;
    private static final int SENT = 1;
    private static final int ANSWERED = 2;
    private static final int REFUSED = 3;

    private static final int PAYLOADS = 8;

    private final Setting setting;
    private final int cores;
    private final int threads;
    private final int processes;
    private final StateBuffer in = new StateBuffer();
    private final StateBuffer out = new StateBuffer();
    private byte[] from = {};
    private Sink sink = (label, state) -> {};
    private final NicEndpoint[] ends;
    private final NicDispatch dispatch;

    // the state beside the machines: endpoints are the kernels', then the threads'
    private final int[] cpuEpoch;
    private final int[] cpuNumber;
    private final int[] cpuState;
    private final int[] current;
    private final boolean[] interrupted;
    private final long[] loadWord;
    private final long[][] heads;
    private final int[][] payload;
    /** Stores of the NIC that are on their way: line and what, oldest first; at most two. */
    private final int[] postedLine;
    private final int[] postedPayload;
    private final boolean[] headPosted;
    private final long[] postedHead;
    private final int[] status;
    private final int[] ran;
    private final int[] left = new int[6];
    private @Nullable String wrong;
    private final Map<Long, Integer> numbers = new HashMap<>();
    private final List<Long> words = new ArrayList<>();

    DispatchModel(Setting setting) {
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

    private boolean has(Mutant mutant) {
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
        public void dispatch(int core, int thread) {
            fill(core, LineHead.DISPATCH, thread + 1);
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

    private void settle(int request, int to) {
        require(status[request] == SENT, "AnsweredOnce");
        status[request] = to;
    }

    private void require(boolean holds, String invariant) {
        if (!holds && wrong == null) {
            wrong = invariant;
        }
    }

    private void fill(int end, int kind, int value) {
        int actions = ends[end].fill(kind);
        require(actions == NicEndpoint.FILL, "OnlyHeldLoadsAreAnswered");
        post(end, value);
    }

    private void post(int end, int value) {
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

    private void arrives(int end) {
        int line = postedLine[end] - 1;
        if (!headPosted[end]) {
            payload[end][line] = postedPayload[end];
            headPosted[end] = true;
        } else {
            heads[end][line] = postedHead[end];
            postedLine[end] = 0;
        }
    }

    // ---- transitions ---------------------------------------------------------------------------------------------

    private static final String[] STEPS = { "initially", "request arrives", "store arrives", "NIC sees load",
            "line came back", "load expires", "policy gives a core", "policy retires a core", "policy withdraws",
            "kernel loads", "kernel reads line", "kernel takes the core back", "thread loads", "thread reads line",
            "thread writes the reply", "thread ends the reply", "process dies", "kernel dies", "NIC restarts",
            "core is given to RPC again", "thread gives the line back without a reply", "thread loads the wrong line" };

    @Override
    public void initial(Sink to) {
        for (int end = 0; end < ends.length; end++) {
            reset(end, 1);
            begin(end, end < cores ? LOADS : OFF);
        }
        for (int process = 1; process <= processes; process++) {
            dispatch.begin(process);
        }
        left[0] = setting.deaths();
        left[1] = setting.kernelDeaths();
        left[2] = setting.restarts();
        left[3] = setting.decisions();
        left[4] = setting.expiries();
        left[5] = setting.misdeeds();
        Arrays.fill(current, NicDispatch.NONE);
        to.next(0, save());
    }

    private void reset(int end, int epoch) {
        ends[end].reset(epoch);
        for (int line = 0; line < 2; line++) {
            heads[end][line] = ends[end].head();
            payload[end][line] = 0;
        }
        postedLine[end] = 0;
        headPosted[end] = false;
        postedHead[end] = 0;
        postedPayload[end] = 0;
    }

    /** A new life of the CPU's side. */
    private void begin(int end, int state) {
        cpuEpoch[end] = ends[end].epoch();
        cpuNumber[end] = 0;
        cpuState[end] = state;
    }

    @Override
    public void successors(byte[] state, Sink to) {
        from = state;
        sink = to;
        load(state);
        for (int request = 0; request < status.length; request++) {
            if (status[request] == UNSENT && (request == 0 || status[request - 1] != UNSENT)) {
                status[request] = SENT;
                dispatch.arrived(setting.targets()[request], request);
                emit(1);
            }
        }
        for (int end = 0; end < ends.length; end++) {
            nic(end);
        }
        policy();
        for (int core = 0; core < cores; core++) {
            kernel(core);
        }
        for (int thread = 0; thread < threads; thread++) {
            thread(thread);
        }
        deaths();
    }

    private void emit(int step) {
        sink.next(step, save());
        load(from);
    }

    private void nic(int end) {
        NicEndpoint nic = ends[end];
        if (postedLine[end] != 0) {
            arrives(end);
            emit(2);
        }
        if (nic.phase == NicEndpoint.IDLE && loadWord[end] == nic.expectedLoad()) {
            int actions = nic.load(loadWord[end], 0, 0);
            if (actions == NicEndpoint.HOLD) {
                held(end);
            } else if (has(Mutant.NO_FETCH)) {
                fetch(end);
                held(end);
                if (nic.phase == NicEndpoint.IDLE) {
                    cpuState[end] = RUNS; // the line before is still the CPU's
                }
            }
            emit(3);
        }
        if (nic.phase == NicEndpoint.FETCHING) {
            fetch(end);
            held(end);
            emit(4);
        }
        if (nic.isHeld() && left[4] > 0) {
            left[4]--;
            nic.tick(0);
            post(end, 0);
            emit(5);
        }
    }

    private void held(int end) {
        if (end < cores) {
            dispatch.kernelLoads(end);
        } else {
            dispatch.threadLoads(end - cores);
        }
    }

    private void fetch(int end) {
        NicEndpoint nic = ends[end];
        int line = nic.line();
        int request = dispatch.served(end - cores);
        require(request != NicDispatch.NONE, "AReplyHasARequest");
        boolean isReply = nic.isAnswer(heads[end][line]) || has(Mutant.ANY_REPLY);
        if (isReply) {
            require(payload[end][line] == -(request + 1), "TheReplyIsOfTheRequest");
        }
        settle(request, isReply ? ANSWERED : REFUSED);
        nic.fetched();
    }

    private void policy() {
        if (left[3] == 0) {
            return;
        }
        for (int core = 0; core < cores; core++) {
            for (int thread = 0; thread < threads; thread++) {
                if (dispatch.give(core, thread, true)) {
                    left[3]--;
                    emit(6);
                }
            }
            if (dispatch.retire(core, true)) {
                left[3]--;
                emit(7);
            }
            if (dispatch.withdraw(core)) {
                left[3]--;
                emit(8);
            }
        }
    }

    private void kernel(int core) {
        switch (cpuState[core]) {
            case LOADS -> {
                announce(core);
                emit(9);
            }
            case WAITS -> {
                kernelLooks(core);
            }
            case RUNS -> {
                int thread = current[core];
                boolean mayInterrupt = thread != NicDispatch.NONE
                        && (cpuState[cores + thread] == RUNS || cpuState[cores + thread] == WROTE);
                if (thread == NicDispatch.NONE || interrupted[core] && mayInterrupt) {
                    takeBack(core);
                    emit(11);
                }
            }
            case RETIRED -> {
                cpuState[core] = LOADS;
                emit(19);
            }
            default -> {
                // dead kernels are replaced at once
            }
        }
    }

    private void takeBack(int core) {
        current[core] = NicDispatch.NONE;
        interrupted[core] = false;
        cpuState[core] = LOADS;
    }

    private void announce(int end) {
        CpuEndpoint cpu = cpu(end);
        loadWord[end] = cpu.load();
        cpuNumber[end]++;
        cpuState[end] = WAITS;
    }

    private CpuEndpoint cpu(int end) {
        CpuEndpoint cpu = new CpuEndpoint(ends[end].owner(), cpuEpoch[end]);
        cpu.number = cpuNumber[end];
        return cpu;
    }

    private int look(int end) {
        return cpu(end).look(heads[end][cpuNumber[end] & 1]);
    }

    private void kernelLooks(int core) {
        int kind = look(core);
        if (kind == LineHead.DISPATCH) {
            int thread = payload[core][cpuNumber[core] & 1] - 1;
            require(thread >= 0 && thread < threads, "LinesAreWhole");
            cpuState[core] = RUNS;
            boolean isThere = onCores(thread) > 0 && !has(Mutant.TWO_CORES);
            current[core] = isThere ? NicDispatch.NONE : thread; // the kernel knows better: back at once
            if (!isThere && cpuState[cores + thread] == OFF) {
                cpuState[cores + thread] = LOADS;
            }
            emit(10);
        } else if (kind != CpuEndpoint.WAITING) {
            require(kind == LineHead.TRY_AGAIN || kind == LineHead.RETIRE || kind == CpuEndpoint.LOST,
                    "LinesAreWhole");
            if (kind == CpuEndpoint.LOST) {
                begin(core, LOADS);
            } else {
                cpuState[core] = kind == LineHead.RETIRE ? RETIRED : LOADS;
            }
            emit(10);
        }
    }

    private int onCores(int thread) {
        int count = 0;
        for (int core = 0; core < cores; core++) {
            count += current[core] == thread ? 1 : 0;
        }
        return count;
    }

    private void thread(int thread) {
        int end = cores + thread;
        int core = coreOf(thread);
        if (core == NicDispatch.NONE) {
            return; // not on a core: it does nothing
        }
        int line = cpuNumber[end] & 1;
        switch (cpuState[end]) {
            case LOADS -> {
                announce(end);
                emit(12);
            }
            case WAITS -> threadLooks(thread, core, line);
            case RUNS -> {
                require(!ownLife(end) || ends[end].isServing(), "LinesAreExclusive");
                payload[end][line] = -payload[end][line];
                cpuState[end] = WROTE;
                emit(14);
                misdeeds(end);
            }
            case WROTE -> {
                heads[end][line] = cpu(end).answer(LineHead.REPLY);
                cpuState[end] = LOADS;
                emit(15);
            }
            default -> {
                // not started
            }
        }
    }

    private void misdeeds(int end) {
        if (left[5] > 0) {
            left[5]--;
            cpuState[end] = LOADS; // without a reply
            emit(20);
            left[5]--;
            cpuNumber[end]++;
            announce(end); // of the same line
            emit(21);
        }
    }

    private boolean ownLife(int end) {
        return cpuEpoch[end] == ends[end].epoch();
    }

    private int coreOf(int thread) {
        for (int core = 0; core < cores; core++) {
            if (current[core] == thread && cpuState[core] == RUNS) {
                return core;
            }
        }
        return NicDispatch.NONE;
    }

    private void threadLooks(int thread, int core, int line) {
        int end = cores + thread;
        int kind = look(end);
        if (kind == CpuEndpoint.WAITING) {
            return;
        }
        if (kind == LineHead.REQUEST) {
            int request = payload[end][line] - 1;
            require(request >= 0, "LinesAreWhole");
            if (request >= 0) {
                require(setting.targets()[request] == ends[end].owner(), "Isolation");
                require(++ran[request] == 1, "RunOnce");
            }
            cpuState[end] = RUNS;
        } else {
            require(kind == LineHead.TRY_AGAIN || kind == LineHead.YIELD_NOW || kind == CpuEndpoint.LOST,
                    "LinesAreWhole");
            if (kind == CpuEndpoint.LOST) {
                begin(end, LOADS); // the kernel attaches it anew
            } else {
                cpuState[end] = LOADS;
            }
            if (kind == LineHead.YIELD_NOW) {
                takeBack(core);
            }
        }
        emit(13);
    }

    private void deaths() {
        for (int process = 1; process <= processes && left[0] > 0; process++) {
            left[0]--;
            end(process);
            emit(16);
        }
        for (int core = 0; core < cores && left[1] > 0; core++) {
            if (cpuState[core] == LOADS || cpuState[core] == WAITS) {
                left[1]--;
                reset(core, has(Mutant.SAME_EPOCH) ? ends[core].epoch() : ends[core].epoch() + 1);
                begin(core, LOADS);
                emit(17);
            }
        }
        if (left[2] > 0) {
            left[2]--;
            restart();
            emit(18);
        }
    }

    /** It dies at any step; the kernel tells the NIC and starts it again. */
    private void end(int process) {
        for (int thread = 0; thread < threads; thread++) {
            int end = cores + thread;
            if (ends[end].owner() != process) {
                continue;
            }
            int request = dispatch.serving[thread];
            if (has(Mutant.AGAIN) && request != NicDispatch.NONE) {
                dispatch.served(thread);
                dispatch.queues[process].push(request);
            }
        }
        if (!has(Mutant.AGAIN)) {
            dispatch.end(process, Refusal.PROCESS_GONE);
        }
        for (int thread = 0; thread < threads; thread++) {
            int end = cores + thread;
            if (ends[end].owner() == process) {
                for (int core = 0; core < cores; core++) {
                    if (current[core] == thread) {
                        current[core] = NicDispatch.NONE; // the kernel takes the core back
                    }
                }
                reset(end, has(Mutant.SAME_EPOCH) ? ends[end].epoch() : ends[end].epoch() + 1);
                begin(end, OFF);
            }
        }
        dispatch.begin(process);
    }

    /** All endpoints begin another life; kernels and threads find out by their next look. */
    private void restart() {
        for (int process = 1; process <= processes; process++) {
            dispatch.end(process, Refusal.RESTART);
        }
        for (int end = 0; end < ends.length; end++) {
            reset(end, ends[end].epoch() + 1);
        }
        for (int process = 1; process <= processes; process++) {
            dispatch.begin(process);
        }
    }

    // ---- what must hold ------------------------------------------------------------------------------------------

    @Override
    public @Nullable String violated(byte[] state) {
        load(state);
        if (wrong != null) {
            return wrong;
        }
        for (int thread = 0; thread < threads; thread++) {
            if (onCores(thread) > 1) {
                return "AThreadOnOneCore";
            }
        }
        return null;
    }

    /** Whether every request of the state is settled. */
    boolean isSettled(byte[] state) {
        load(state);
        return Arrays.stream(status).noneMatch(s -> s == SENT || s == UNSENT);
    }

    @Override
    public String label(int label) {
        return STEPS[label];
    }

    @Override
    public String show(byte[] state) {
        load(state);
        StringBuilder text = new StringBuilder();
        for (int end = 0; end < ends.length; end++) {
            text.append(end < cores ? "| kernel " + end : "| thread " + (end - cores)).append(" state ")
                    .append(cpuState[end]).append(" #").append(cpuEpoch[end]).append('.').append(cpuNumber[end])
                    .append(" nic ").append(ends[end].epoch).append('.').append(ends[end].filled).append(" phase ")
                    .append(ends[end].phase).append(' ');
        }
        return text + "| current " + Arrays.toString(current) + " running " + Arrays.toString(dispatch.running)
                + " next " + Arrays.toString(dispatch.next) + " requests " + Arrays.toString(status) + " ran "
                + Arrays.toString(ran) + (wrong == null ? "" : " WRONG");
    }

    // ---- states as bytes -----------------------------------------------------------------------------------------

    private static final String[] INVARIANTS = { "AnsweredOnce", "OnlyHeldLoadsAreAnswered", "LinesAreExclusive",
            "AReplyHasARequest", "TheReplyIsOfTheRequest", "LinesAreWhole", "AThreadOnOneCore", "Isolation",
            "RunOnce" };

    private byte[] save() {
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
    private int numberOf(long head) {
        return numbers.computeIfAbsent(head, h -> {
            words.add(h);
            return words.size() - 1;
        });
    }

    private long headOf(int number) {
        return words.get(number);
    }

    private void saveEnd(int end) {
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

    private void load(byte[] state) {
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

    private void loadEnd(int end) {
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
