package dev.bascule.lauberhorn;

import dev.bascule.models.Model;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The production machines of both ends and the NIC's dispatcher on a small machine, for the explorer: cores with a
 * kernel, processes with threads, lines whose stores arrive one after the other, a policy that may decide anything at any
 * time, and processes, kernels and the NIC dying at any step. What nobody may ever see is checked from outside.
 */
final class DispatchModel extends DispatchWorld implements Model {
    private byte[] from = {};
    private Sink sink = (label, state) -> {};

    DispatchModel(Setting setting) {
        super(setting);
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
            int named = payload[core][cpuNumber[core] & 1];
            int thread = (named & (1 << THREAD_BITS) - 1) - 1;
            require(thread >= 0 && thread < threads, "LinesAreWhole");
            cpuState[core] = RUNS;
            boolean isThere = onCores(thread) > 0 && !has(Mutant.TWO_CORES);
            boolean isOld = named >> THREAD_BITS != ends[cores + thread].epoch() && !has(Mutant.ANY_LIFE);
            current[core] = isThere || isOld ? NicDispatch.NONE : thread; // the kernel knows better: back at once
            if (current[core] != NicDispatch.NONE && cpuState[cores + thread] == OFF) {
                begin(cores + thread, LOADS);
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
                begin(end, LOADS);
                takeBack(core); // the NIC may have given it to another since
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
        for (int core = 0; core < cores; core++) {
            int thread = cpuState[core] == RUNS ? current[core] : NicDispatch.NONE;
            if (thread != NicDispatch.NONE && ownLife(cores + thread) && dispatch.running[core] != thread) {
                return "TheNicKnowsTheCore";
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

}
