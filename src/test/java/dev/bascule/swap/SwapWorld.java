package dev.bascule.swap;

import dev.bascule.models.Interned;
import dev.bascule.models.StateBuffer;
import java.util.Arrays;

/**
 * One state of {@link SwapModel}, taken apart: the production state objects of host and agents, the production record
 * on production lines, the set of every line ever sent, and ghosts.
 */
final class SwapWorld {
    static final int UNKNOWN = 0;
    static final int REVERSED = 1;

    /** One agent process. */
    static final class Agent {
        AgentState state = new AgentState(0, 1, 1);
        boolean up;
        int view;
    }

    final SwapSetting setting;
    final Interned lines;
    final SwapLimits limits;
    HostState host = new HostState(0);
    final Line[] memory = SharedLines.lines(CellRecord.LINES);
    CellRecord record = new CellRecord(memory[0], memory[1], memory[2]);
    /** Durable view of the record: what a host that restarts now would find. */
    final HostState durable = new HostState(0);
    final Agent agent = new Agent();
    final Agent zombie = new Agent();
    int[] sent = new int[64];
    int sentCount;
    int crashes;
    int dead;
    /** TwoStep: the record changed, the commit word did not. */
    boolean applied;
    /** Outcomes by swap as each side holds them: UNKNOWN, REVERSED, or committed(a, b). */
    final int[] hostOut;
    final int[] agentOut;
    /** Ghost: the tokens an atomic swap would have left with the host. */
    int atomicHost;
    private final boolean fullRecord;
    private final long[] recordWords = new long[3 * Line.WORDS];

    SwapWorld(SwapSetting setting, Interned lines) {
        this.setting = setting;
        this.lines = lines;
        this.limits = new SwapLimits(1, 1, 1, Integer.MAX_VALUE, setting.maxN());
        this.fullRecord = setting.has(SwapSetting.Switch.FULL_RECORD) || setting.has(SwapSetting.Switch.TWO_STEP);
        this.hostOut = new int[setting.maxE() * setting.maxN()];
        this.agentOut = new int[setting.maxE() * setting.maxN()];
    }

    void begin() {
        int all = (1 << setting.tokens()) - 1;
        for (int t = 1; t <= setting.tokens(); t++) {
            HostMachine.admit(host, t);
        }
        record.format(host);
        reload();
        agent.up = true;
        atomicHost = all;
    }

    int key(int epoch, long n) {
        return (epoch - 1) * setting.maxN() + (int) n - 1;
    }

    /** A committed outcome; tokens are 1 to 7, 0 for none. */
    static int committed(long a, long b) {
        return 2 + small(a) * 8 + small(b);
    }

    private static int small(long token) {
        return token == Token.NONE ? 0 : Token.id(token);
    }

    static int bit(long token) {
        return token == Token.NONE ? 0 : 1 << Token.id(token) - 1;
    }

    /** Tokens of the durable record. */
    int hostOwned() {
        int mask = 0;
        for (int i = 0; i < durable.heldCount; i++) {
            mask |= bit(durable.held[i]);
        }
        return mask;
    }

    int agentOwned() {
        return (1 << setting.tokens()) - 1 & ~hostOwned() & ~dead;
    }

    void persist() {
        record.prepare(host);
        record.commit(host);
        reload();
    }

    /** Reads the record as a restarted host would. */
    void reload() {
        int found = record.load(durable);
        if (found != CellRecord.CLEAN) {
            throw new AssertionError("record not clean: " + found);
        }
    }

    void send(SwapLine line) {
        int id = lines.number(line.w);
        int at = Arrays.binarySearch(sent, 0, sentCount, id);
        if (at >= 0) {
            return;
        }
        if (sentCount == sent.length) {
            sent = Arrays.copyOf(sent, 2 * sentCount);
        }
        System.arraycopy(sent, -at - 1, sent, -at, sentCount + at + 1);
        sent[-at - 1] = id;
        sentCount++;
    }

    // ---- bytes

    void save(StateBuffer out) {
        out.put(host.epoch);
        out.put(host.n);
        out.put(host.last);
        out.put(host.phase);
        if (host.phase == HostState.OFFERED) {
            out.put(small(host.offered));
            out.put(lines.number(host.offerDigest));
            out.put(host.lastHold);
        }
        sortHeld();
        out.put(mask(host));
        saveRecord(out);
        saveAgent(agent, out);
        if (setting.has(SwapSetting.Switch.ZOMBIE)) {
            saveAgent(zombie, out);
        }
        out.put(sentCount);
        int before = 0;
        for (int i = 0; i < sentCount; i++) {
            out.put(sent[i] - before);
            before = sent[i];
        }
        out.put(crashes);
        out.put(dead);
        out.put(applied ? 1 : 0);
        for (int i = 0; i < hostOut.length; i++) {
            out.put(hostOut[i]);
            out.put(agentOut[i]);
        }
        out.put(atomicHost);
    }

    void load(StateBuffer in) {
        host = new HostState(0);
        host.epoch = in.getInt();
        host.incarnation = incarnation(host.epoch);
        host.n = in.get();
        host.last = in.get();
        host.phase = in.getInt();
        if (host.phase == HostState.OFFERED) {
            host.offered = token(in.getInt());
            host.offerDigest = lines.words(in.getInt())[0];
            host.lastHold = in.getInt();
        }
        tokens(host, in.getInt());
        loadRecord(in);
        loadAgent(agent, in);
        if (setting.has(SwapSetting.Switch.ZOMBIE)) {
            loadAgent(zombie, in);
        }
        sentCount = in.getInt();
        sent = new int[Math.max(64, sentCount)];
        int before = 0;
        for (int i = 0; i < sentCount; i++) {
            before += in.getInt();
            sent[i] = before;
        }
        crashes = in.getInt();
        dead = in.getInt();
        applied = in.get() == 1;
        for (int i = 0; i < hostOut.length; i++) {
            hostOut[i] = in.getInt();
            agentOut[i] = in.getInt();
        }
        atomicHost = in.getInt();
    }

    int incarnation(int epoch) {
        return setting.has(SwapSetting.Switch.NO_EPOCH) ? 1 : epoch;
    }

    private void saveRecord(StateBuffer out) {
        if (!fullRecord) {
            return; // what the host holds, in a fresh record
        }
        for (int i = 0; i < recordWords.length; i++) {
            recordWords[i] = memory[i / Line.WORDS].get(i % Line.WORDS);
        }
        out.put(lines.number(recordWords));
    }

    private void loadRecord(StateBuffer in) {
        record = new CellRecord(memory[0], memory[1], memory[2]);
        if (fullRecord) {
            long[] words = lines.words(in.getInt());
            for (int i = 0; i < words.length; i++) {
                memory[i / Line.WORDS].set(i % Line.WORDS, words[i]);
            }
        } else {
            record.format(host);
        }
        reload();
    }

    private void saveAgent(Agent who, StateBuffer out) {
        AgentState s = who.state;
        out.put(who.up ? 1 : 0);
        out.put(s.epoch);
        out.put(s.n);
        out.put(s.phase);
        out.put(who.view);
        if (s.phase != AgentState.IDLE) {
            out.put(small(s.got));
        }
        if (s.phase == AgentState.REFLECTED) {
            out.put(small(s.gave));
        }
        if (s.phase == AgentState.PENDING) {
            out.put(lines.number(s.echoDigest));
            out.put(s.holds);
        }
    }

    private void loadAgent(Agent who, StateBuffer in) {
        who.up = in.get() == 1;
        int epoch = in.getInt();
        AgentState s = new AgentState(0, epoch, incarnation(epoch));
        s.n = in.get();
        s.phase = in.getInt();
        who.view = in.getInt();
        if (s.phase != AgentState.IDLE) {
            s.got = token(in.getInt());
        }
        if (s.phase == AgentState.REFLECTED) {
            s.gave = token(in.getInt());
        }
        if (s.phase == AgentState.PENDING) {
            s.echoDigest = lines.words(in.getInt())[0];
            s.holds = in.getInt();
        }
        who.state = s;
    }

    private static long token(int small) {
        return small == 0 ? Token.NONE : small;
    }

    private static int mask(HostState s) {
        int mask = 0;
        for (int i = 0; i < s.heldCount; i++) {
            mask |= bit(s.held[i]);
        }
        return mask;
    }

    private static void tokens(HostState s, int mask) {
        for (int t = 1; mask >> t - 1 != 0; t++) {
            if ((mask >> t - 1 & 1) != 0) {
                s.add(t);
            }
        }
    }

    private void sortHeld() {
        Arrays.sort(host.held, 0, host.heldCount);
    }
}
