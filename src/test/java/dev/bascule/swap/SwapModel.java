package dev.bascule.swap;

import dev.bascule.models.Interned;
import dev.bascule.models.Model;
import dev.bascule.models.StateBuffer;
import dev.bascule.swap.SwapSetting.Switch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One cell over an adversarial network, for the explorer: every line ever sent can be received at any time, any number
 * of times or never; both ends may crash at any step. The steps are the production functions; what the harness adds is
 * the network, the crashes, the policy's free choice of tokens, and the ablations.
 */
final class SwapModel implements Model {
    private static final String[] STEPS = { "", "host offers ", "host takes line ", "host stores the commit word",
            "window over, host reverses", "host closes", "host fences", "host crashes and restarts",
            "outside event ends t",
            "agent reflects line ", "agent takes close ", "agent gives up alone", "agent crashes", "agent starts",
            "agent reads line ", "agent answers ", "host crashes before storing the commit word, line ",
            "zombie reflects line " };
    private static final int OFFER = 1;
    private static final int TAKE = 2;
    private static final int STORE = 3;
    private static final int REVERSE = 4;
    private static final int CLOSE = 5;
    private static final int FENCE = 6;
    private static final int HOST_CRASH = 7;
    private static final int EXIT = 8;
    private static final int REFLECT = 9;
    private static final int TAKE_CLOSE = 10;
    private static final int GIVE_UP = 11;
    private static final int AGENT_CRASH = 12;
    private static final int START = 13;
    private static final int READ = 14;
    private static final int ANSWER = 15;
    private static final int TORN_COMMIT = 16;
    private static final int ZOMBIE = 17;
    private static final int HOLD = 8;
    private static final int REFUSE = 9;

    private final SwapSetting setting;
    private final Interned lines = new Interned();
    private final SwapWorld w;
    private final StateBuffer in = new StateBuffer();
    private final StateBuffer out = new StateBuffer();
    private final SwapLine line = new SwapLine();
    private final SwapInvariants invariants;
    private final Predicate<String> wanted;
    private byte[] from = {};
    private Sink sink = (label, state) -> {};

    /** @param wanted the invariants to check, by name */
    SwapModel(SwapSetting setting, Predicate<String> wanted) {
        this.setting = setting;
        this.w = new SwapWorld(setting, lines);
        this.invariants = new SwapInvariants(setting);
        this.wanted = wanted;
    }

    @Override
    public void initial(Sink to) {
        w.begin();
        w.save(out.clear());
        to.next(0, out.toBytes());
    }

    @Override
    public @Nullable String violated(byte[] state) {
        w.load(in.wrap(state));
        return invariants.violated(w, wanted);
    }

    @Override
    public String label(int label) {
        int step = label & 0xFF;
        int arg = label >>> 8 & 0xFF;
        int message = label >>> 16;
        String what = STEPS[step];
        if (step == TAKE || step == REFLECT || step == TAKE_CLOSE || step == READ || step == TORN_COMMIT
                || step == ZOMBIE) {
            what += show(message);
        }
        return switch (step) {
            case OFFER, EXIT -> what + arg;
            case REFLECT, ZOMBIE -> what + " with t" + arg;
            case ANSWER -> what + (arg == HOLD ? "HOLD" : arg == REFUSE ? "REFUSE" : "t" + arg);
            default -> what;
        };
    }

    private String show(int message) {
        System.arraycopy(lines.words(message), 0, line.w, 0, Line.WORDS);
        String[] kinds = { "?", "OFFER", "CLOSE", "STOP", "REFLECT", "HOLD", "REFUSE" };
        return kinds[line.kind()] + "(" + line.epoch() + "," + line.n() + ")";
    }

    @Override
    public String show(byte[] state) {
        w.load(in.wrap(state));
        return "host (" + w.host.epoch + "," + w.host.n + ") L=" + w.host.last
                + (w.host.phase == HostState.OFFERED ? " offers " + Token.show(w.host.offered) : "") + " owns "
                + Integer.toBinaryString(w.hostOwned()) + " | agent " + (w.agent.up ? "" : "down ") + "("
                + w.agent.state.epoch + "," + w.agent.state.n + ")"
                + (w.agent.state.phase == AgentState.REFLECTED ? " promised " + Token.show(w.agent.state.gave) : "")
                + " view " + Integer.toBinaryString(w.agent.view) + " | sent " + w.sentCount;
    }

    @Override
    public void successors(byte[] state, Sink to) {
        from = state;
        sink = to;
        reset();
        int sent = w.sentCount;
        hostSteps();
        for (int i = 0; i < sent; i++) {
            reset();
            int message = w.sent[i];
            System.arraycopy(lines.words(message), 0, line.w, 0, Line.WORDS);
            if (line.kind() >= SwapLine.REFLECT) {
                take(message);
            } else {
                read(message, w.agent, REFLECT);
                if (setting.has(Switch.ZOMBIE)) {
                    reset();
                    read(message, w.zombie, ZOMBIE);
                }
            }
        }
        agentSteps();
    }

    private void reset() {
        w.load(in.wrap(from));
    }

    private void emit(int step, int arg, int message) {
        w.save(out.clear());
        sink.next(step | arg << 8 | message << 16, out.toBytes());
        reset();
    }

    // ---- host

    private void hostSteps() {
        if (w.applied) {
            w.persist();
            recordCommit();
            w.applied = false;
            emit(STORE, 0, 0);
            hostCrash(HOST_CRASH, 0);
            return;
        }
        for (int t = 0; t <= setting.tokens(); t++) {
            long a = t == 0 ? Token.NONE : t;
            if ((HostMachine.offer(w.host, a, 0, Token.NONE, 0, 0, w.limits) & SwapAction.WRITE) != 0) {
                w.send(w.host.out);
                emit(OFFER, t, 0);
            }
        }
        if (!setting.has(Switch.NO_WINDOW)) {
            if ((HostMachine.tick(w.host, 2 + w.host.lastHold, w.limits) & SwapAction.REVERSED) != 0) {
                w.hostOut[w.key(w.host.epoch, w.host.n)] = SwapWorld.REVERSED;
                emit(REVERSE, 0, 0);
            }
            fence();
        }
        if ((HostMachine.close(w.host, 0, 0) & SwapAction.WRITE) != 0) {
            w.send(w.host.out);
            emit(CLOSE, 0, 0);
        }
        hostCrash(HOST_CRASH, 0);
        for (int t = 1; t <= setting.tokens(); t++) {
            exit(t);
        }
    }

    private void fence() {
        if (w.host.epoch == setting.maxE()) {
            return;
        }
        int open = w.key(w.host.epoch, w.host.n);
        int reclaimed = w.agentOwned();
        int epoch = w.host.epoch + 1;
        int actions = HostMachine.fence(w.host, epoch, w.incarnation(epoch), w.limits);
        if ((actions & SwapAction.REVERSED) != 0) {
            w.hostOut[open] = SwapWorld.REVERSED;
        }
        w.persist();
        for (int t = 1; t <= setting.tokens(); t++) {
            if ((reclaimed >> t - 1 & 1) != 0) {
                HostMachine.admit(w.host, t);
                w.persist();
            }
        }
        w.atomicHost = w.hostOwned();
        emit(FENCE, 0, 0);
    }

    private void hostCrash(int step, int message) {
        if (w.crashes == setting.maxCrash() || w.host.epoch == setting.maxE()) {
            reset();
            return;
        }
        w.crashes++;
        boolean open = w.host.phase == HostState.OFFERED || w.applied || step == TORN_COMMIT;
        if (open) {
            w.hostOut[w.key(w.host.epoch, w.host.n)] = SwapWorld.REVERSED;
        }
        w.applied = false;
        w.host = new HostState(0);
        w.record = new CellRecord(w.memory[0], w.memory[1], w.memory[2]);
        w.record.load(w.host);
        int epoch = w.host.epoch + 1;
        HostMachine.fence(w.host, epoch, w.incarnation(epoch), w.limits);
        w.persist();
        emit(step, 0, message);
    }

    private void exit(int t) {
        int bit = 1 << t - 1;
        boolean drop = (HostMachine.drop(w.host, t) & SwapAction.PERSIST) != 0;
        if (!drop && setting.has(Switch.NO_FREEZE) && w.host.holds(t)) {
            w.host.remove(t);
            drop = true;
        }
        if (drop) {
            w.persist();
            w.dead |= bit;
            w.atomicHost &= ~bit;
            emit(EXIT, t, 0);
        } else if (setting.has(Switch.NO_OWNER) && (w.agentOwned() & bit) != 0) {
            w.dead |= bit;
            emit(EXIT, t, 0);
        }
    }

    private void take(int message) {
        if (w.applied || !line.accepted(w.host.epoch, w.host.n, SwapLine.agentSeed(0))) {
            return;
        }
        long lastBefore = w.host.last;
        int actions = HostMachine.line(w.host, line, w.limits);
        if ((actions & SwapAction.REVERSED) != 0) {
            w.hostOut[w.key(w.host.epoch, w.host.n)] = SwapWorld.REVERSED;
        } else if ((actions & SwapAction.COMMITTED) != 0 && setting.has(Switch.TWO_STEP)) {
            changeRecordOnly(lastBefore);
        } else if ((actions & SwapAction.COMMITTED) != 0) {
            if (setting.has(Switch.FULL_RECORD)) {
                w.record.prepare(w.host);
                hostCrash(TORN_COMMIT, message);
                HostMachine.line(w.host, line, w.limits);
            }
            w.persist();
            recordCommit();
        }
        if ((actions & (SwapAction.REVERSED | SwapAction.COMMITTED | SwapAction.HELD)) != 0) {
            emit(TAKE, 0, message);
        }
    }

    /** The ablation: the tokens change under the old commit word. */
    private void changeRecordOnly(long lastBefore) {
        long last = w.host.last;
        w.host.last = lastBefore;
        w.persist();
        w.host.last = last;
        w.applied = true;
    }

    private void recordCommit() {
        int key = w.key(w.host.epoch, w.host.last);
        long a = given();
        long b = received();
        w.hostOut[key] = SwapWorld.committed(a, b);
        w.atomicHost = w.atomicHost & ~SwapWorld.bit(a) | SwapWorld.bit(b);
    }

    /** After a TwoStep commit the flyweight's results are gone; the ghost then takes what changed. */
    private long given() {
        return w.applied ? changed(w.atomicHost & ~w.hostOwned()) : w.host.given;
    }

    private long received() {
        return w.applied ? changed(w.hostOwned() & ~w.atomicHost) : w.host.received;
    }

    private static long changed(int mask) {
        return mask == 0 ? Token.NONE : Integer.numberOfTrailingZeros(mask) + 1;
    }

    // ---- agent

    private void read(int message, SwapWorld.Agent who, int step) {
        if (!who.up || !line.accepted(who.state.epoch, line.n(), SwapLine.hostSeed(0))) {
            return;
        }
        int actions = AgentMachine.line(who.state, line);
        resolve(who, actions);
        if ((actions & SwapAction.DECIDE) == 0) {
            if ((actions & SwapAction.CLOSED) != 0) {
                emit(TAKE_CLOSE, 0, message);
            }
            return;
        }
        if (setting.has(Switch.ANSWERS) && step != ZOMBIE) {
            emit(READ, 0, message);
            return;
        }
        int view = who.view;
        for (int t = 0; t <= setting.tokens(); t++) {
            if (t > 0 && (view >> t - 1 & 1) == 0) {
                continue;
            }
            resolve(who, AgentMachine.line(who.state, line));
            AgentMachine.reflect(who.state, t == 0 ? Token.NONE : t, 0, 0);
            w.send(who.state.out);
            emit(step, t, message);
        }
    }

    private void resolve(SwapWorld.Agent who, int actions) {
        AgentState s = who.state;
        int key = w.key(s.epoch, s.resolvedNumber);
        if ((actions & SwapAction.RESOLVED_COMMITTED) != 0) {
            who.view = who.view & ~SwapWorld.bit(s.resolvedGave) | SwapWorld.bit(s.resolvedGot);
            note(who, key, SwapWorld.committed(s.resolvedGot, s.resolvedGave));
        } else if ((actions & SwapAction.RESOLVED_REVERSED) != 0) {
            note(who, key, SwapWorld.REVERSED);
        }
    }

    private void note(SwapWorld.Agent who, int key, int outcome) {
        if (who == w.agent || w.agentOut[key] == SwapWorld.UNKNOWN) {
            w.agentOut[key] = outcome;
        }
    }

    private void agentSteps() {
        AgentState s = w.agent.state;
        if (setting.has(Switch.NIC_GUESS) && w.agent.up && s.phase == AgentState.REFLECTED) {
            w.agentOut[w.key(s.epoch, s.n)] = SwapWorld.REVERSED;
            s.phase = AgentState.IDLE;
            emit(GIVE_UP, 0, 0);
        }
        if (setting.has(Switch.ANSWERS) && w.agent.up && s.phase == AgentState.PENDING) {
            answers();
        }
        if (w.agent.up && w.crashes < setting.maxCrash()) {
            w.crashes++;
            down(w.agent);
            emit(AGENT_CRASH, 0, 0);
        }
        start();
    }

    private void answers() {
        int view = w.agent.view;
        for (int t = 0; t <= setting.tokens(); t++) {
            if (t == 0 || (view >> t - 1 & 1) != 0) {
                AgentMachine.reflect(w.agent.state, t == 0 ? Token.NONE : t, 0, 0);
                w.send(w.agent.state.out);
                emit(ANSWER, t, 0);
            }
        }
        if (w.agent.state.holds == 0) {
            AgentMachine.hold(w.agent.state);
            w.send(w.agent.state.out);
            emit(ANSWER, HOLD, 0);
        }
        AgentMachine.refuse(w.agent.state);
        w.send(w.agent.state.out);
        emit(ANSWER, REFUSE, 0);
    }

    private static void down(SwapWorld.Agent who) {
        who.up = false;
        who.view = 0;
        who.state = new AgentState(0, who.state.epoch, who.state.incarnation);
    }

    /** The host starts or replaces the agent, with a snapshot of what it owns. */
    private void start() {
        boolean may = setting.has(Switch.NO_EPOCH)
                ? !w.agent.up && !w.applied
                : w.agent.state.epoch != w.host.epoch;
        if (!may) {
            return;
        }
        if (setting.has(Switch.ZOMBIE) && w.agent.up) {
            w.zombie.up = true;
            w.zombie.view = w.agent.view;
            w.zombie.state = w.agent.state;
        }
        w.agent.state = new AgentState(0, w.host.epoch, w.incarnation(w.host.epoch));
        w.agent.up = true;
        w.agent.view = w.agentOwned();
        if (setting.has(Switch.NO_EPOCH)) {
            java.util.Arrays.fill(w.agentOut, SwapWorld.UNKNOWN);
        }
        emit(START, 0, 0);
    }
}
