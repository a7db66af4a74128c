package dev.bascule.swap;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * One cell with production drivers at both ends, random steps, and one kind of fault. At the end everything quiets down
 * and the ledgers, the record and the agent's view must agree.
 */
final class FaultRig {
    enum Fault {
        NONE, TORN_LINES, REPLAYED_LINE, LINE_OF_ANOTHER_CELL, CORRUPTION, ZOMBIE, ZOMBIE_ON_THE_SAME_LINE, TWO_AGENTS, COMMIT_WORD_DAMAGED, NUMBER_WRAPS, HOST_CRASH, AGENT_CRASH, AGENT_PAUSED, EVERYTHING
    }

    /** An agent process: driver, tokens it believes to own, private ledger. */
    private static final class Actor {
        final AgentCell cell;
        final Set<Long> view = new TreeSet<>();
        boolean gone;

        Actor(AgentCell cell) {
            this.cell = cell;
        }
    }

    private final Random random;
    private final Fault fault;
    private final RigLine.Fuse hostFuse = new RigLine.Fuse();
    private final RigLine.Fuse agentFuse = new RigLine.Fuse();
    private final RigLine hostLine;
    private final RigLine[] agentLines;
    private final RigLine[] memory = new RigLine[CellRecord.LINES];
    private final SwapLedger hostLedger = new SwapLedger(4096);
    private final List<SwapLedger> agentLedgers = new ArrayList<>();
    private final List<long[]> seen = new ArrayList<>();
    private final Set<Long> live = new TreeSet<>();
    private final SwapLimits limits;
    private HostCell host;
    private Actor agent;
    private Actor other;
    private int incarnation = 1;
    private int nextToken = 1;
    private long now = 1;
    private int paused;
    final int[] counts = new int[8];

    FaultRig(long seed, Fault fault) {
        this.random = new Random(seed);
        this.fault = fault;
        boolean delayed = is(Fault.TORN_LINES) || random.nextInt(4) == 0;
        this.limits = new SwapLimits(100, 50, 2, 8, is(Fault.NUMBER_WRAPS) ? 5 : SwapLimits.LAST_NUMBER);
        hostLine = new RigLine(delayed, hostFuse);
        agentLines = new RigLine[is(Fault.ZOMBIE_ON_THE_SAME_LINE) ? 1 : 2];
        for (int i = 0; i < agentLines.length; i++) {
            agentLines[i] = new RigLine(delayed, agentFuse);
        }
        for (int i = 0; i < memory.length; i++) {
            memory[i] = new RigLine(false, hostFuse);
        }
        host = HostCell.create(0, 1, incarnation, hostLine, agentLines, record(), limits, hostLedger);
        for (int i = 0; i < 4; i++) {
            live.add((long) nextToken);
            host.admit(nextToken++);
        }
        agent = start();
        other = agent;
    }

    private boolean is(Fault wanted) {
        return fault == wanted || fault == Fault.EVERYTHING;
    }

    private CellRecord record() {
        return new CellRecord(memory[0], memory[1], memory[2]);
    }

    private Actor start() {
        Actor started = actor(incarnation);
        for (long token : live) {
            if (!host.holds(token)) {
                started.view.add(token);
            }
        }
        return started;
    }

    private Actor actor(int as) {
        Line line = agentLines[host.epoch() % agentLines.length];
        SwapLedger ledger = new SwapLedger(2048);
        Actor made = new Actor(new AgentCell(0, host.epoch(), as, hostLine, line, ledger));
        agentLedgers.add(ledger);
        return made;
    }

    // ---- running

    /** Runs and returns what is wrong at the end; empty if nothing. */
    List<String> run(int steps) {
        if (is(Fault.TWO_AGENTS)) {
            other = actor(999);
            other.view.addAll(live);
        }
        for (int i = 0; i < steps; i++) {
            if (is(Fault.HOST_CRASH) && random.nextInt(25) == 0) {
                hostFuse.light(random.nextInt(30));
            }
            if (is(Fault.AGENT_CRASH) && random.nextInt(25) == 0) {
                agentFuse.light(random.nextInt(20));
            }
            step();
        }
        return quiet();
    }

    private void step() {
        drain(random.nextInt(4));
        switch (random.nextInt(13)) {
            case 0, 1 -> asHost(this::offer);
            case 2, 3 -> asHost(this::poll);
            case 4 -> now += random.nextInt(60);
            case 5 -> asHost(() -> host.reverse());
            case 6 -> asHost(() -> host.close(0, 0));
            case 7, 8 -> asAgent(agent);
            case 9 -> asAgent(other);
            case 10 -> drain(random.nextInt(12));
            case 11 -> asHost(this::outsideEvent);
            default -> inject();
        }
    }

    private void asHost(Runnable what) {
        try {
            what.run();
        } catch (RigLine.Crash dead) {
            counts[0]++;
            restartHost();
        }
    }

    private void offer() {
        int at = random.nextInt(host.heldCount() + 1);
        long a = at == host.heldCount() ? Token.NONE : host.held(at);
        if ((host.offer(a, 1, Token.NONE, 0, now) & SwapAction.FENCE_NEEDED) != 0) {
            counts[1]++;
            fence();
        }
    }

    private void poll() {
        int actions = host.poll(now);
        counts[2] += (actions & SwapAction.COMMITTED) != 0 ? 1 : 0;
        counts[3] += (actions & SwapAction.REVERSED) != 0 ? 1 : 0;
        if ((actions & (SwapAction.DAMAGED | SwapAction.SUSPECT)) != 0) {
            counts[4] += (actions & SwapAction.DAMAGED) != 0 ? 1 : 0;
            fence();
        }
    }

    private void outsideEvent() {
        if (random.nextInt(3) == 0 && host.heldCount() > 0) {
            long token = host.held(random.nextInt(host.heldCount()));
            if ((host.drop(token) & SwapAction.PERSIST) != 0) {
                live.remove(token);
            }
        } else if (live.size() < 6) {
            long token = nextToken++;
            live.add(token); // exists from here; without room in the cell it is the agent's
            if ((host.admit(token) & SwapAction.FULL) != 0) {
                live.remove(token);
            }
        }
    }

    private void fence() {
        incarnation++;
        if ((host.fence(host.epoch() + 1, incarnation) & SwapAction.FENCED) == 0) {
            throw new AssertionError("no epoch left");
        }
        for (long token : live) {
            if (random.nextBoolean()) {
                host.admit(token); // reclaimed; the others go to the new agent
            }
        }
        replaceAgent();
    }

    private void replaceAgent() {
        boolean zombies = is(Fault.ZOMBIE) || is(Fault.ZOMBIE_ON_THE_SAME_LINE);
        Actor old = agent;
        agent = start();
        other = zombies ? old : agent;
        paused = 0;
    }

    /** The new process may die while it recovers, too. */
    private void restartHost() {
        Recovery first = null;
        for (;;) {
            incarnation++;
            Recovery recovery = new Recovery();
            first = first == null ? recovery : first;
            try {
                host = HostCell.recover(0, 1, incarnation, hostLine, agentLines, record(), limits, hostLedger,
                        recovery);
            } catch (RigLine.Crash again) {
                counts[0]++;
                continue;
            }
            if (!recovery.usable() || !recovery.tokensKnown()) {
                throw new AssertionError(recovery.toString());
            }
            reconcile(first);
            replaceAgent();
            return;
        }
    }

    /** What the commit word says and the ledger does not know yet: the crash fell between the two. */
    private void reconcile(Recovery recovery) {
        Set<Long> gone = SwapLedgerCheck.heldAtEnd(hostLedger);
        Set<Long> came = new HashSet<>();
        for (int i = 0; i < host.heldCount(); i++) {
            if (!gone.remove(host.held(i))) {
                came.add(host.held(i));
            }
        }
        if (gone.size() > 1 || came.size() > 1) {
            throw new AssertionError("one step changed more than one swap: gone " + gone + ", came " + came);
        }
        long a = gone.isEmpty() ? Token.NONE : gone.iterator().next();
        long b = came.isEmpty() ? Token.NONE : came.iterator().next();
        if (recovery.lastCommitted() > lastLogged(recovery.epochFound())) {
            hostLedger.append(SwapLedger.COMMITTED, 0, recovery.epochFound(), recovery.lastCommitted(), a, b);
        } else if (a != Token.NONE) {
            hostLedger.append(SwapLedger.DROPPED, 0, recovery.epochFound(), 0, a, Token.NONE);
            live.remove(a);
        } else if (b != Token.NONE) {
            hostLedger.append(SwapLedger.ADMITTED, 0, recovery.epochFound(), 0, b, Token.NONE);
        }
    }

    private long lastLogged(int epoch) {
        long last = 0;
        for (int i = 0; i < hostLedger.size(); i++) {
            if (hostLedger.epoch(i) == epoch && hostLedger.outcome(i) == SwapLedger.COMMITTED) {
                last = Math.max(last, hostLedger.number(i));
            }
        }
        return last;
    }

    private void asAgent(Actor who) {
        if (who.gone || paused > 0 && who == agent) {
            paused--;
            return;
        }
        try {
            act(who);
        } catch (RigLine.Crash dead) {
            counts[5]++;
            who.gone = true;
            if (random.nextBoolean() && who == agent) {
                asHost(this::fence); // the supervisor reports the exit; otherwise the windows must find out
            }
        }
    }

    private void act(Actor who) {
        int actions = who.cell.poll();
        if ((actions & SwapAction.RESOLVED_COMMITTED) != 0) {
            who.view.remove(who.cell.resolvedGave());
            if (who.cell.resolvedGot() != Token.NONE) {
                who.view.add(who.cell.resolvedGot());
            }
        }
        if (!who.cell.pending()) {
            return;
        }
        if (who != agent && is(Fault.TWO_AGENTS) && !is(Fault.ZOMBIE)) {
            throw new AssertionError("the second agent was asked to decide");
        }
        switch (random.nextInt(5)) {
            case 0 -> who.cell.hold();
            case 1 -> who.cell.refuse();
            default -> {
                List<Long> choice = new ArrayList<>(who.view);
                choice.add(Token.NONE);
                who.cell.reflect(choice.get(random.nextInt(choice.size())), 3, 4);
            }
        }
    }

    private void drain(int words) {
        hostLine.drain(random, words);
        for (RigLine line : agentLines) {
            line.drain(random, words);
        }
        if (seen.size() < 64) {
            seen.add(hostLine.visible.clone());
            seen.add(agentLines[0].visible.clone());
        }
    }

    private void inject() {
        RigLine line = random.nextBoolean() ? hostLine : agentLines[random.nextInt(agentLines.length)];
        Fault[] all = Fault.values();
        switch (fault == Fault.EVERYTHING ? all[random.nextInt(all.length)] : fault) {
            case REPLAYED_LINE -> {
                if (!seen.isEmpty()) {
                    System.arraycopy(seen.get(random.nextInt(seen.size())), 0, line.visible, 0, Line.WORDS);
                }
            }
            case LINE_OF_ANOTHER_CELL -> System.arraycopy(foreign().w, 0, line.visible, 0, Line.WORDS);
            case CORRUPTION -> line.visible[random.nextInt(Line.WORDS)] ^= 1L << random.nextInt(64);
            case COMMIT_WORD_DAMAGED -> damageCommitWord();
            case AGENT_PAUSED -> paused = random.nextInt(4) == 0 ? random.nextInt(30) : paused;
            case ZOMBIE, ZOMBIE_ON_THE_SAME_LINE -> asHost(this::fence);
            default -> {
            }
        }
    }

    private void damageCommitWord() {
        memory[2].visible[0] ^= 1L << random.nextInt(64) | 1L << random.nextInt(64);
        if (random.nextBoolean()) {
            asHost(() -> {
                throw new RigLine.Crash();
            });
        }
    }

    /** What the agent of cell 1 would answer to the very same offer. */
    private SwapLine foreign() {
        AgentState stranger = new AgentState(1, host.epoch(), incarnation);
        stranger.phase = AgentState.PENDING;
        stranger.n = host.number();
        AgentMachine.reflect(stranger, 5, 0, 0);
        return stranger.out;
    }

    // ---- the end

    private List<String> quiet() {
        hostFuse.light(Integer.MAX_VALUE);
        agentFuse.light(Integer.MAX_VALUE);
        drainAll();
        if (agent.gone) {
            fence();
        }
        paused = 0;
        while (host.open()) {
            now += 1000;
            poll();
        }
        host.close(0, 0);
        drainAll();
        for (int i = 0; i < 3; i++) {
            act(agent);
            act(other);
        }
        List<String> wrong = new ArrayList<>(SwapLedgerCheck.faults(hostLedger, agentLedgers));
        Set<Long> held = new TreeSet<>();
        for (int i = 0; i < host.heldCount(); i++) {
            held.add(host.held(i));
        }
        if (!held.equals(new TreeSet<>(SwapLedgerCheck.heldAtEnd(hostLedger)))) {
            wrong.add("the record holds " + held + ", the ledger says " + SwapLedgerCheck.heldAtEnd(hostLedger));
        }
        Set<Long> rest = new TreeSet<>(live);
        rest.removeAll(held);
        if (!agent.view.equals(rest) || agent.cell.promised()) {
            wrong.add("the agent believes to own " + agent.view + " (promised: " + agent.cell.promised()
                    + "), the host gave it " + rest);
        }
        return wrong;
    }

    private void drainAll() {
        hostLine.drainAll(random);
        for (RigLine line : agentLines) {
            line.drainAll(random);
        }
    }
}
