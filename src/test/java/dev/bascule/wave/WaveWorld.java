package dev.bascule.wave;

import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.Enclave;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.TaskWaits;
import dev.bascule.agent.TransportCounters;
import dev.bascule.agent.Truth;
import dev.bascule.agent.region.RegionAgent;
import dev.bascule.agent.region.RegionHost;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.memory.Window;
import dev.bascule.models.Fingerprint;
import dev.bascule.policy.FifoAgent;
import dev.bascule.ring.Doorbell;
import dev.bascule.wave.WaveGhosts.Shadow;
import dev.bascule.wave.WaveSetting.Switch;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of the production objects of host and agents ({@link Mechanism} with its enforcer and task table,
 * {@link WaveHost}, {@link WaveAgent}, {@link Enclave}, in one setting a shipped policy) over memory in which lines may
 * arrive in pieces. Each method is one step of {@link WaveModel}.
 */
final class WaveWorld {
    /** Scratch space and statistics: no later step depends on them. */
    private static final Set<String> SCRATCH = Set.of("message", "word", "transaction", "scratch", "timers", "misses",
            "prestageHits", "waited", "localDecisions", "overflows", "parkedNanos", "clock", "listener", "window",
            "words", "bell", "links");

    /** Rounds without news after which a policy looks for outcomes that nothing told of: at least QueueAgent's. */
    private static final int PATIENCE = 256;

    /** One agent of the history; the newest is the current one, others are fenced or dead. */
    private final class Party {
        final int number;
        final ModelMemory.View slots;
        final RegionAgent end;
        final Enclave enclave;
        final FifoAgent policy = new FifoAgent();
        final boolean[] waiting = new boolean[setting.tasks()];
        final int[] staged = new int[setting.cpus()];
        boolean up = true;

        Party(int number) {
            this.number = number;
            slots = nic.held(layout.nicBankBytes());
            end = WaveAgent.attach(slots, hostMemory.direct(), 0, number + 1L, Doorbell.NONE, () -> 0);
            enclave = new Enclave(end, () -> 0);
        }
    }

    private final WaveSetting setting;
    private final EnclaveShape shape;
    private final WaveLayout layout;
    private final ModelMemory nic;
    private final ModelMemory hostMemory;
    private final RegionHost end;
    final Mechanism mechanism;
    final Truth truth;
    final WaveGhosts ghosts;
    private final Transaction[] checked;
    private final Party[] parties;
    private int newest = -1;
    private boolean over;
    int events;
    int crashes;

    WaveWorld(WaveSetting setting) {
        this.setting = setting;
        shape = new EnclaveShape(setting.cpus(), setting.tasks(), 1, 2, 1);
        layout = new WaveLayout(shape);
        ghosts = new WaveGhosts(setting);
        nic = new ModelMemory(layout.nicBytes(), layout.slot(false, 2, 0, 0),
                layout.slot(false, 2, setting.cpus() - 1, 0) + Window.LINE_BYTES);
        hostMemory = new ModelMemory(layout.hostBytes(), 0, 0);
        Mechanism[] later = new Mechanism[1];
        Window reads = nic.hostView(setting, layout.nicBankBytes(), task -> later[0].sequence(task));
        end = WaveHost.open(new RegionLinks(nic.direct(), reads, hostMemory.direct(), List.of()), shape,
                WaveOptions.ALL);
        DecisionListener listener = (decision, outcome, now) -> settled(decision, outcome);
        mechanism = new Mechanism(end, () -> 0, listener);
        later[0] = mechanism;
        truth = new Truth(mechanism);
        checked = new Transaction[setting.cpus()];
        parties = new Party[setting.maxE() + 1];
        attach();
        for (int task = 0; task < setting.tasks(); task++) {
            mechanism.create(true, -1, 0, 0);
            ghosts.changed(task, mechanism.sequence(task), Shadow.RUNNABLE);
        }
        mechanism.commit();
    }

    private void settled(Transaction decision, Outcome outcome) {
        if (over) {
            return;
        }
        ghosts.settled(end.epoch(), decision.slotCpu(), decision.number(), decision.identity(), outcome);
    }

    private void changed(int task, Shadow to) {
        ghosts.changed(task, mechanism.sequence(task), to);
        mechanism.commit();
        events++;
    }

    // ---- host

    /** Polls, checks and enforces in one step, as production does. */
    void decide(int cpu) {
        mechanism.decide(cpu);
        mechanism.commit();
    }

    /** The first half of the ablation: the decision is found good, and nothing is done about it yet. */
    void check(int cpu) {
        Transaction decision = new Transaction();
        while (end.poll(cpu, decision)) {
            Outcome outcome = decision.epoch() == end.epoch() ? truth.check(decision) : Outcome.NO_AGENT;
            if (outcome == Outcome.COMPLETE) {
                checked[cpu] = decision;
                return;
            }
            end.settle(decision, outcome);
            settled(decision, outcome);
        }
    }

    boolean isChecked(int cpu) {
        return checked[cpu] != null;
    }

    void enforceChecked(int cpu) {
        Transaction decision = checked[cpu];
        checked[cpu] = null;
        end.settle(decision, Outcome.COMPLETE);
        settled(decision, Outcome.COMPLETE);
        truth.start(decision.task(), cpu);
        mechanism.commit();
    }

    void decideLocally(int cpu) {
        int task = mechanism.decideLocally(cpu);
        changed(task, Shadow.RUNS);
    }

    void block(int cpu) {
        int task = mechanism.current(cpu);
        mechanism.blocked(task, 0);
        changed(task, Shadow.BLOCKED);
    }

    void exit(int cpu) {
        int task = mechanism.current(cpu);
        mechanism.exited(task, 0);
        changed(task, Shadow.GONE);
    }

    void kill(int task) {
        mechanism.killed(task);
        changed(task, Shadow.GONE);
    }

    void wake(int task) {
        mechanism.wakeup(task, 0);
        changed(task, Shadow.RUNNABLE);
    }

    void create() {
        int task = mechanism.create(true, -1, 0, 0);
        changed(task, Shadow.RUNNABLE);
    }

    void fence() {
        mechanism.fence(0);
        Arrays.fill(checked, null);
        mechanism.commit();
    }

    int epoch() {
        return end.epoch();
    }

    // ---- agents

    private Party current() {
        return parties[newest];
    }

    boolean isUp() {
        return current().up && (setting.has(Switch.NO_EPOCH) || current().end.epoch() == end.epoch());
    }

    /** The agent of the epoch before lives on. */
    boolean hasZombie() {
        return setting.has(Switch.ZOMBIE) && zombie() != null;
    }

    private @Nullable Party zombie() {
        for (Party party : parties) {
            if (party != null && party.up && party.end.epoch() != end.epoch()) {
                return party;
            }
        }
        return null;
    }

    boolean mayAttach() {
        boolean free = setting.has(Switch.NO_EPOCH) ? !current().up : current().end.epoch() != end.epoch();
        return free && newest + 1 < parties.length;
    }

    void attach() {
        if (setting.has(Switch.NO_EPOCH) && newest >= 0) {
            nic.words[(int) (layout.agentControl(end.epoch(), 0) + 16) / 8] = 0;
        }
        if (newest >= 0 && !setting.has(Switch.ZOMBIE)) {
            current().up = false;
        }
        parties[++newest] = new Party(newest);
    }

    void crash() {
        current().up = false;
        crashes++;
    }

    /** Takes one message, or learns from the status words that it must start afresh. */
    void read() {
        Party party = current();
        begin(party);
        Message message = party.enclave.peek();
        if (message != null) {
            if (message.task() < setting.tasks() && message.type().code() < 128) {
                party.waiting[message.task()] = message.leavesRunnable();
            }
            party.enclave.consume();
        }
    }

    private static void begin(Party party) {
        if (party.enclave.beginRound()) {
            Arrays.fill(party.waiting, false);
        }
    }

    boolean mayStage(boolean byZombie, int cpu, int task) {
        Party party = byZombie ? zombie() : current();
        return party.waiting[task] && party.staged[cpu] < setting.maxN() && party.end.room(cpu) > 0;
    }

    /** The agent, or the fenced one, stages any task that it believes to be waiting. */
    void stage(boolean byZombie, int cpu, int task) {
        Party party = byZombie ? zombie() : current();
        Transaction decision = party.enclave.open(cpu, task);
        party.enclave.stage(decision);
        party.enclave.commit();
        ghosts.staged(party.number, party.end.epoch(), cpu, ++party.staged[cpu], decision.identity());
        arrive(party);
    }

    boolean mayWithdraw() {
        return current().enclave.shape().staged() > current().end.room(0);
    }

    void withdraw() {
        current().enclave.withdraw(0);
        arrive(current());
    }

    void outcomes() {
        Party party = current();
        party.enclave.outcomes((cpu, number, identity, outcome) -> ghosts.told(party.number, party.end.epoch(), cpu,
                number, identity, outcome));
    }

    /** Rounds of a shipped policy, until one finds work or it has looked at everything that it looks at now and then. */
    int turn() {
        int work = 0;
        for (int round = 0; round <= PATIENCE && work == 0; round++) {
            work = round();
        }
        return work;
    }

    private int round() {
        Party party = current();
        if (party.enclave.beginRound()) {
            party.policy.reset(party.enclave);
        }
        int work = party.policy.doWork(party.enclave);
        arrive(party);
        return work;
    }

    private void arrive(Party party) {
        if (setting.has(Switch.PIECES)) {
            party.slots.dropIdle();
        } else {
            party.slots.landAll();
        }
    }

    // ---- memory

    int pending(int party) {
        return party <= newest ? parties[party].slots.pending.size() : 0;
    }

    boolean mayLand(int party, int store) {
        return parties[party].slots.mayLand(store, setting.has(Switch.ANY_ORDER));
    }

    void land(int party, int store) {
        parties[party].slots.land(store);
        parties[party].slots.dropIdle();
    }

    // ---- the whole

    /** Faults are over: all arrives, an agent is there, and everybody works until nothing changes. */
    boolean everyTaskGetsItsCpu() {
        over = true;
        for (int party = 0; party <= newest; party++) {
            parties[party].slots.landAll();
        }
        if (!isUp()) {
            mechanism.fence(0);
            parties[newest] = new Party(newest);
        }
        for (int round = 0; round < 2 * PATIENCE; round++) {
            round();
            current().slots.landAll();
            for (int cpu = 0; cpu < setting.cpus(); cpu++) {
                if (mechanism.current(cpu) != Mechanism.NONE) {
                    mechanism.blocked(mechanism.current(cpu), 0);
                }
                if (mechanism.decide(cpu) != Mechanism.NONE) {
                    round = Math.min(round, 8);
                }
            }
            end.tick();
            mechanism.commit();
        }
        return mechanism.runnableCount() == 0;
    }

    Fingerprint.Print print() {
        Fingerprint print = new Fingerprint(WaveWorld::isFixed).addGraph(mechanism).addGraph(end)
                .addSparse(nic.words).addSparse(hostMemory.words).add(events).add(crashes);
        ghosts.addTo(print);
        for (Transaction decision : checked) {
            print.add(decision == null ? 0 : decision.identity() + 1);
        }
        for (int i = 0; i <= newest; i++) {
            Party party = parties[i];
            print.add(party.up ? 1 : 0).add(party.slots.pending.size());
            int base = party.slots.pending.isEmpty() ? 0 : party.slots.pending.get(0).batch();
            party.slots.pending.forEach(s -> print.add(s.batch() - base).add(s.offset()).add(s.value()));
            if (party.up) {
                print.addGraph(party.end).addGraph(party.enclave).addGraph(party.waiting).addGraph(party.staged);
                if (setting.has(Switch.POLICY)) {
                    print.addGraph(party.policy);
                }
            }
        }
        return print.print();
    }

    private static boolean isFixed(Field field) {
        return SCRATCH.contains(field.getName()) && field.getDeclaringClass() != Transaction.class
                || Window.class.isAssignableFrom(field.getType()) || field.getType() == TransportCounters.class
                || field.getType() == TaskWaits.class || field.getDeclaringClass().getSimpleName().equals("CpuTable")
                        && field.getName().equals("starts"); // what waits are reported by decides nothing here
    }

    String show() {
        StringBuilder out = new StringBuilder("epoch " + end.epoch());
        for (int task = 0; task < setting.tasks(); task++) {
            out.append(", t").append(task).append(" #").append(mechanism.sequence(task)).append(' ')
                    .append(ghosts.shadow[task]);
        }
        for (int cpu = 0; cpu < setting.cpus(); cpu++) {
            long head = nic.words[(int) layout.slot(false, end.epoch(), cpu, 1) / 8];
            long identity = nic.words[(int) layout.slot(false, end.epoch(), cpu, 1) / 8 + 1];
            out.append(" | slot ").append(cpu).append(": ").append(SlotLine.number(head)).append(" t")
                    .append(Identity.task(identity)).append(" #").append(Identity.sequence(identity));
        }
        return out.toString();
    }
}
