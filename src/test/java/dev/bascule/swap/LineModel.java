package dev.bascule.swap;

import dev.bascule.models.Interned;
import dev.bascule.models.Model;
import dev.bascule.models.StateBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One cell on two shared lines behind posted writes, for the explorer: a line travels and is read in two parts, at any
 * moment, so a reader can find parts of different lines. The accept rule and the machines are the production ones,
 * unless an ablation replaces the rule. Both ends reverse, crash and fence as they like.
 */
final class LineModel implements Model {
    /** The accept rule used. */
    enum Rule {
        PRODUCTION,
        /** Tags in all words, no digest. */
        TAGS_ONLY,
        /** Only the part written last carries the tag. */
        FLAG_LAST,
        /** As FLAG_LAST, and the tag is one alternating bit without epoch. */
        ONE_BIT
    }

    /** Words 2 to 6 (the payload) travel and are read first; head, kind and digest (the flag) second. */
    private static final int FIRST_PART = 0b0111_1100;
    private static final int MAX_N = 2;
    private static final String[] STEPS = { "initially", "host offers", "host reverses", "host fences", "host closes",
            "host line part 1 arrives", "host line part 2 arrives", "agent line part 1 arrives",
            "agent line part 2 arrives", "agent reads part", "agent takes line in", "host reads part",
            "host takes line in", "agent holds", "agent writes the other part", "agent dies" };

    private final Rule rule;
    private final boolean combining;
    private final boolean closes;
    private final boolean holds;
    private final int maxE;
    private final Interned lines = new Interned();
    private final SwapLimits limits;
    private final StateBuffer in = new StateBuffer();
    private final StateBuffer out = new StateBuffer();
    private final SwapLine line = new SwapLine();
    private byte[] from = {};
    private Sink sink = (label, state) -> {};

    // the state
    private HostState host = new HostState(0);
    private AgentState agent = new AgentState(0, 1, 1);
    private boolean agentUp = true;
    /** For each direction: visible parts, posted parts (0 none), the part a reader copied, by line number + 1. */
    private final int[] visible = new int[4];
    private final int[] posted = new int[4];
    private final int[] copied = new int[2];
    /** The line whose second part the agent is about to write, + 1. */
    private int halfWritten;
    private boolean torn;
    private boolean disagree;
    private final int[] hostOut;
    private final int[] agentOut;

    /** @param closes and holds whether lines of the same swap, with the same tag, follow each other */
    LineModel(Rule rule, boolean combining, boolean closes, boolean holds, int maxE) {
        this.closes = closes;
        this.rule = rule;
        this.combining = combining;
        this.holds = holds;
        this.maxE = maxE;
        this.limits = new SwapLimits(1, 1, 1, Integer.MAX_VALUE, MAX_N);
        this.hostOut = new int[maxE * MAX_N];
        this.agentOut = new int[maxE * MAX_N];
        lines.number(new long[Line.WORDS]);
    }

    @Override
    public void initial(Sink to) {
        for (int t = 1; t <= 2; t++) {
            HostMachine.admit(host, t);
        }
        java.util.Arrays.fill(visible, 1);
        to.next(0, save());
    }

    @Override
    public void successors(byte[] state, Sink to) {
        from = state;
        sink = to;
        load(state);
        hostSteps();
        for (int part = 0; part < 4; part++) {
            boolean ordered = part % 2 == 1 && !combining && posted[part - 1] != 0;
            if (posted[part] != 0 && !ordered) {
                visible[part] = posted[part];
                posted[part] = 0;
                emit(5 + part);
            }
        }
        agentSteps();
        hostReads();
    }

    private void emit(int step) {
        sink.next(step, save());
        load(from);
    }

    private boolean quiet(int direction) {
        return posted[2 * direction] == 0 && posted[2 * direction + 1] == 0;
    }

    private void post(int direction, SwapLine written) {
        int number = lines.number(written.w) + 1;
        posted[2 * direction] = number;
        posted[2 * direction + 1] = number;
    }

    private int key(int epoch, long n) {
        return (epoch - 1) * MAX_N + (int) n - 1;
    }

    private void hostSteps() {
        // a token to tell offers apart: the number of the swap
        long a = host.n + 1;
        if (quiet(0) && host.phase == HostState.IDLE && host.n < MAX_N) {
            HostMachine.offer(host, host.holds(a) ? a : Token.NONE, a, Token.NONE, 0, 0, limits);
            post(0, host.out);
            emit(1);
        }
        if (host.phase == HostState.OFFERED) {
            HostMachine.reverse(host, limits);
            hostOut[key(host.epoch, host.n)] = 1;
            emit(2);
        }
        if (closes && quiet(0) && (HostMachine.close(host, 0, 0) & SwapAction.WRITE) != 0) {
            post(0, host.out);
            emit(4);
        }
        if (host.epoch < maxE) {
            if (host.phase == HostState.OFFERED) {
                hostOut[key(host.epoch, host.n)] = 1;
            }
            HostMachine.fence(host, host.epoch + 1, host.epoch + 1, limits);
            agent = new AgentState(0, host.epoch, host.epoch);
            agentUp = true;
            copied[0] = 0;
            copied[1] = 0;
            halfWritten = 0; // what the old agent posted stays under way
            emit(3);
        }
    }

    private void agentSteps() {
        if (!agentUp) {
            return;
        }
        if (halfWritten != 0) {
            posted[3] = halfWritten;
            halfWritten = 0;
            emit(14);
        } else if (copied[0] == 0) {
            copied[0] = visible[0];
            emit(9);
        } else {
            assemble(0);
            copied[0] = 0;
            agentTakes();
        }
        if (holds && agent.phase == AgentState.PENDING && agent.holds == 0 && quiet(1)) {
            AgentMachine.hold(agent);
            post(1, agent.out);
            emit(13);
        }
        if (agent.phase == AgentState.PENDING && quiet(1) && halfWritten == 0) {
            AgentMachine.reflect(agent, 100 + 10 * agent.epoch + agent.n, 0, 0);
            halfWritten = lines.number(agent.out.w) + 1;
            posted[2] = halfWritten;
            emit(10);
        }
        agentUp = false;
        emit(15);
    }

    private void agentTakes() {
        boolean accepted = accept(agent.epoch, line.n(), SwapLine.hostSeed(0)) && line.n() >= 1 && line.n() <= MAX_N;
        if (!accepted) {
            emit(10);
            return;
        }
        torn |= isTorn();
        int actions = AgentMachine.line(agent, line);
        if ((actions & (SwapAction.RESOLVED_COMMITTED | SwapAction.RESOLVED_REVERSED)) != 0) {
            boolean committed = (actions & SwapAction.RESOLVED_COMMITTED) != 0;
            agentOut[key(agent.epoch, agent.resolvedNumber)] = committed ? 2 : 1;
        }
        emit(10);
    }

    private void hostReads() {
        if (host.phase != HostState.OFFERED) {
            return;
        }
        if (copied[1] == 0) {
            copied[1] = visible[2];
            emit(11);
            return;
        }
        assemble(1);
        copied[1] = 0;
        if (accept(host.epoch, host.n, SwapLine.agentSeed(0))) {
            int actions = HostMachine.line(host, line, limits);
            if ((actions & SwapAction.COMMITTED) != 0) {
                torn |= isTorn();
                hostOut[key(host.epoch, host.n)] = 2;
                disagree |= host.received != 100 + 10 * host.epoch + host.n;
            }
        }
        emit(12);
    }

    /** Whether the line put together is none that was ever written. */
    private boolean isTorn() {
        return lines.words(assembledFirst - 1) != lines.words(assembledSecond - 1);
    }

    private int assembledFirst;
    private int assembledSecond;

    private void assemble(int direction) {
        assembledFirst = copied[direction];
        assembledSecond = visible[2 * direction + 1];
        long[] first = lines.words(assembledFirst - 1);
        long[] second = lines.words(assembledSecond - 1);
        for (int i = 0; i < Line.WORDS; i++) {
            line.w[i] = (FIRST_PART >> i & 1) != 0 ? first[i] : second[i];
        }
    }

    private boolean accept(int epoch, long n, long seed) {
        switch (rule) {
            case PRODUCTION :
                return line.accepted(epoch, n, seed);
            case TAGS_ONLY :
                long tag = SwapLine.tag(epoch, n);
                boolean all = line.w[0] == SwapLine.head(epoch, n);
                for (long word : line.w) {
                    all &= (word & SwapLine.TAG) == tag;
                }
                return all;
            default :
                long flagN = line.n();
                return rule == Rule.ONE_BIT
                        ? (flagN & 1) == (n & 1) && flagN > 0
                        : line.w[0] == SwapLine.head(epoch, n);
        }
    }

    @Override
    public @Nullable String violated(byte[] state) {
        load(state);
        if (torn) {
            return "NoTornLine";
        }
        if (disagree) {
            return "CommittedAsPromised";
        }
        for (int i = 0; i < agentOut.length; i++) {
            if (agentOut[i] != 0 && agentOut[i] != hostOut[i]) {
                return "Agreement";
            }
        }
        return null;
    }

    @Override
    public String label(int label) {
        return STEPS[label];
    }

    @Override
    public String show(byte[] state) {
        load(state);
        return "host (" + host.epoch + "," + host.n + ") " + (host.phase == HostState.OFFERED ? "offers" : "idle")
                + " | agent (" + agent.epoch + "," + agent.n + ") phase " + agent.phase + " | host line "
                + part(visible[0]) + "/" + part(visible[1]) + ", agent line " + part(visible[2]) + "/"
                + part(visible[3]) + (torn ? " TORN" : "");
    }

    private String part(int number) {
        long[] words = lines.words(number - 1);
        return SwapLine.epochOf(words[0]) + "." + SwapLine.numberOf(words[0]) + "k" + (words[1] >>> 44 & 0xF);
    }

    private byte[] save() {
        out.clear();
        out.put(host.epoch);
        out.put(host.n);
        out.put(host.last);
        out.put(host.phase);
        out.put(host.phase == HostState.OFFERED ? small(host.offered) : 0);
        out.put(host.phase == HostState.OFFERED ? lines.number(host.offerDigest) : 0);
        out.put(host.phase == HostState.OFFERED ? host.lastHold : 0);
        java.util.Arrays.sort(host.held, 0, host.heldCount);
        out.put(host.heldCount);
        for (int i = 0; i < host.heldCount; i++) {
            out.put(host.held[i]);
        }
        out.put(agentUp ? 1 : 0);
        out.put(agent.epoch);
        out.put(agent.n);
        out.put(agent.phase);
        boolean open = agent.phase != AgentState.IDLE;
        out.put(open ? small(agent.got) : 0);
        out.put(open ? lines.number(agent.echoDigest) : 0);
        out.put(agent.holds);
        for (int i = 0; i < 4; i++) {
            out.put(visible[i]);
            out.put(posted[i]);
        }
        out.put(copied[0]);
        out.put(copied[1]);
        out.put(halfWritten);
        out.put((torn ? 1 : 0) | (disagree ? 2 : 0));
        for (int i = 0; i < hostOut.length; i++) {
            out.put(hostOut[i] << 2 | agentOut[i]);
        }
        return out.toBytes();
    }

    private static long small(long token) {
        return token == Token.NONE ? 0 : token;
    }

    private static long token(long small) {
        return small == 0 ? Token.NONE : small;
    }

    private void load(byte[] state) {
        in.wrap(state);
        host = new HostState(0);
        host.epoch = in.getInt();
        host.incarnation = host.epoch;
        host.n = in.get();
        host.last = in.get();
        host.phase = in.getInt();
        host.offered = token(in.get());
        int digest = in.getInt();
        host.offerDigest = host.phase == HostState.OFFERED ? lines.words(digest)[0] : 0;
        host.lastHold = in.getInt();
        int held = in.getInt();
        for (int i = 0; i < held; i++) {
            host.add(in.get());
        }
        agentUp = in.get() == 1;
        int epoch = in.getInt();
        agent = new AgentState(0, epoch, epoch);
        agent.n = in.get();
        agent.phase = in.getInt();
        agent.got = token(in.get());
        int echo = in.getInt();
        agent.echoDigest = agent.phase == AgentState.IDLE ? 0 : lines.words(echo)[0];
        agent.gave = agent.phase == AgentState.REFLECTED ? 100 + 10 * agent.epoch + agent.n : Token.NONE;
        agent.holds = in.getInt();
        for (int i = 0; i < 4; i++) {
            visible[i] = in.getInt();
            posted[i] = in.getInt();
        }
        copied[0] = in.getInt();
        copied[1] = in.getInt();
        halfWritten = in.getInt();
        int flags = in.getInt();
        torn = (flags & 1) != 0;
        disagree = (flags & 2) != 0;
        for (int i = 0; i < hostOut.length; i++) {
            int both = in.getInt();
            hostOut[i] = both >> 2;
            agentOut[i] = both & 3;
        }
    }
}
