package dev.bascule.study.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.StatusWord;
import dev.bascule.agent.Transaction;
import dev.bascule.config.CostProfiles;
import dev.bascule.wave.WaveOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random script of accesses on a transport's production ends, over the windows that they have live, and on its ends in
 * the simulation: every answer is the same, step by step. The live ends are the oracle: nothing of them is simulated.
 */
class LiveReplayTest {
    private static final int STEPS = 600;
    private static final int SCRIPTS = 8;
    private static final long FIRST_SEED = 18_000;
    private static final MessageType[] TYPES = { MessageType.TASK_NEW, MessageType.TASK_WAKEUP,
            MessageType.TASK_BLOCKED,
            MessageType.TASK_PREEMPT, MessageType.TASK_YIELD, MessageType.CPU_TICK };

    static Stream<Arguments> transportsAndOptions() {
        List<SimTransport> all = new ArrayList<>();
        SimTransports.NAMES.forEach(name -> all.add(SimTransports.named(name)));
        for (int bits = 0; bits < 64; bits++) {
            boolean[] on = new boolean[6];
            for (int i = 0; i < on.length; i++) {
                on[i] = (bits >> i & 1) != 0;
            }
            all.add(SimTransports.wave("wave " + Arrays.toString(on), new WaveOptions(on[0], on[1], on[2], on[3], 0),
                    on[4],
                    on[5]));
        }
        List<EnclaveShape> shapes = List.of(new EnclaveShape(3, 5, 1, 8, 1), new EnclaveShape(4, 9, 1, 16, 4),
                new EnclaveShape(3, 5, 3, 8, 2));
        return all.stream().flatMap(one -> (one.name().startsWith("wave [") ? shapes.subList(0, 1) : shapes).stream()
                .map(shape -> Arguments.of(one.name(), shape.cpus(), shape.agents(), shape.staged(), one, shape)));
    }

    @ParameterizedTest(name = "{0}, {1} CPUs, {2} agents, {3} staged")
    @MethodSource("transportsAndOptions")
    void everyAnswerIsThatOfTheLiveEnds(String name, int cpus, int agents, int staged, SimTransport transport,
            EnclaveShape shape) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SCRIPTS; seed++) {
            SimCosts costs = seed % 2 == 0
                    ? SimCosts.FREE
                    : SimCosts.of(CostProfiles.load("published"), transport.onNic());
            try (ReplayedEnds live = ReplayedEnds.live(transport, shape);
                    ReplayedEnds simulated = ReplayedEnds.simulated(transport, shape, costs)) {
                new Script(live, simulated, shape, seed).run();
            }
        }
    }

    /** One script, on both. */
    private static final class Script {
        private final Side[] sides;
        private final EnclaveShape shape;
        private final SplittableRandom random;
        private final long seed;
        private final List<String> done = new ArrayList<>();
        private int sequence;

        Script(ReplayedEnds live, ReplayedEnds simulated, EnclaveShape shape, long seed) {
            sides = new Side[] { new Side(live), new Side(simulated) };
            this.shape = shape;
            this.seed = seed;
            random = new SplittableRandom(seed);
        }

        void run() {
            for (Side side : sides) {
                side.ends.attachAll();
                side.ends.begin();
            }
            for (int step = 0; step < STEPS; step++) {
                step(step);
            }
        }

        private void step(int number) {
            Step step = draw();
            String[] answers = new String[2];
            for (int i = 0; i < 2; i++) {
                sides[i].ends.settle();
                answers[i] = step.on(sides[i]);
            }
            done.add(step + " -> " + answers[0]);
            assertThat(answers[1]).as("seed %d, step %d, %s; before it: %s", seed, number, step,
                    done.subList(Math.max(0, done.size() - 12), done.size() - 1)).isEqualTo(answers[0]);
        }

        private Step draw() {
            int cpu = random.nextInt(shape.cpus());
            int agent = random.nextInt(shape.agents());
            int task = random.nextInt(shape.tasks());
            int what = random.nextInt(100);
            if (what < 14) {
                MessageType type = TYPES[random.nextInt(TYPES.length)];
                int number = ++sequence;
                return new Step("post " + type + " of task " + task + " to agent " + agent,
                        side -> side.post(agent, type, number, task, cpu));
            }
            if (what < 22) {
                return new Step("host commits", Side::commit);
            }
            if (what < 28) {
                return new Step("host wants a decision on CPU " + cpu, side -> side.want(cpu));
            }
            if (what < 40) {
                return new Step("host polls CPU " + cpu, side -> side.poll(cpu));
            }
            if (what < 47) {
                Outcome outcome = random.nextBoolean() ? Outcome.COMPLETE : Outcome.TARGET_STALE;
                return new Step("host settles what it took with " + outcome, side -> side.settle(outcome));
            }
            return what < 54 ? ofHost(what, cpu, agent) : ofAgent(what, cpu, agent, task);
        }

        private Step ofHost(int what, int cpu, int agent) {
            return switch (what) {
                case 47 -> new Step("host decides by itself on CPU " + cpu, side -> side.abandon(cpu));
                case 48, 49 -> new Step("CPU " + cpu + " sleeps", side -> side.sleep(cpu, true));
                case 50 -> new Step("CPU " + cpu + " wakes", side -> side.sleep(cpu, false));
                case 51 -> new Step("is CPU " + cpu + " kicked", side -> side.kicked(cpu));
                case 52 -> new Step("host's tick", Side::tickHost);
                default -> random.nextInt(6) == 0
                        ? new Step("host fences agent " + agent, side -> side.fence(agent))
                        : new Step("host asks agent " + agent + " for a resync", side -> side.resync(agent));
            };
        }

        private Step ofAgent(int what, int cpu, int agent, int task) {
            if (what < 66) {
                return new Step("agent " + agent + " reads a message", side -> side.read(agent));
            }
            if (what < 80) {
                boolean atCommit = random.nextInt(4) == 0;
                int number = ++sequence;
                return new Step("stage task " + task + " for CPU " + cpu + (atCommit ? " at once" : ""),
                        side -> side.stage(cpu, task, number, atCommit));
            }
            if (what < 88) {
                return new Step("agent " + agent + " commits", side -> side.commitAgent(agent));
            }
            if (what < 95) {
                return new Step("agent " + agent + " reads outcomes", side -> side.outcomes(agent));
            }
            return switch (what) {
                case 95 -> new Step("withdraw on CPU " + cpu, side -> side.withdraw(cpu));
                case 96 -> new Step("agent " + agent + " beats", side -> side.beat(agent));
                case 97 -> new Step("agent " + agent + "'s tick", side -> side.tickAgent(agent));
                case 98 -> new Step("agent " + agent + " is ready", side -> side.ready(agent));
                default -> new Step("status word of task " + task, side -> side.status(agent, task));
            };
        }
    }

    private record Step(String what, java.util.function.Function<Side, String> act) {
        String on(Side side) {
            return act.apply(side);
        }

        @Override
        public String toString() {
            return what;
        }
    }

    /** The ends of one side, and what the script keeps of them. Each method answers all that a user of the ends would see. */
    private static final class Side {
        private final ReplayedEnds ends;
        private final EnclaveShape shape;
        private final Message message = new Message();
        private final List<Transaction> taken = new ArrayList<>();
        private final boolean[] sleeps;

        Side(ReplayedEnds ends) {
            this.ends = ends;
            shape = ends.host.shape();
            sleeps = new boolean[shape.cpus()];
        }

        String post(int agent, MessageType type, int sequence, int task, int cpu) {
            message.set(type, ends.host.epoch(agent), sequence, task).cpu(cpu).runtimeNanos(sequence * 7L)
                    .flags(Message.RUNNABLE)
                    .affinity(-1).deadlineNanos(sequence);
            return "fits " + ends.host.post(agent, message);
        }

        String commit() {
            ends.host.commit();
            for (int cpu = 0; cpu < shape.cpus(); cpu++) {
                ends.wanted(cpu);
            }
            return "";
        }

        String want(int cpu) {
            ends.host.want(cpu);
            ends.host.commit(); // before, it is in a write-combining buffer, which may leave whenever it likes
            ends.wanted(cpu);
            return "";
        }

        String poll(int cpu) {
            Transaction decision = new Transaction();
            ends.look(cpu);
            boolean has = ends.host.poll(cpu, decision);
            ends.wanted(cpu);
            if (has) {
                taken.add(decision);
            }
            return has ? Arrays.toString(decision.words()) + " number " + decision.number() : "nothing";
        }

        String settle(Outcome outcome) {
            if (taken.isEmpty()) {
                return "none";
            }
            Transaction decision = taken.removeFirst();
            ends.host.settle(decision, outcome);
            ends.host.commit(decision.slotCpu());
            ends.host.commit();
            return "of CPU " + decision.slotCpu();
        }

        String abandon(int cpu) {
            ends.host.abandon(cpu);
            ends.host.commit();
            return "";
        }

        String sleep(int cpu, boolean sleep) {
            if (sleeps[cpu] == sleep) {
                return "does already";
            }
            sleeps[cpu] = sleep;
            ends.look(cpu);
            if (sleep) {
                return "has a decision: " + ends.host.enterSleep(cpu);
            }
            ends.host.leaveSleep(cpu);
            return "";
        }

        String kicked(int cpu) {
            ends.look(cpu);
            return "" + ends.host.isKicked(cpu);
        }

        String tickHost() {
            ends.host.tick();
            return "";
        }

        String resync(int agent) {
            ends.host.requestResync(agent);
            ends.host.commit();
            return "";
        }

        String fence(int agent) {
            int epoch = ends.host.openEpoch(agent);
            taken.removeIf(decision -> shape.agentOf(decision.slotCpu()) == agent);
            for (int cpu : shape.cpusOf(agent)) {
                sleeps[cpu] = false;
            }
            StringBuilder fenced = new StringBuilder("epoch " + epoch);
            ends.settle();
            for (AgentEnd each : ends.agents) {
                fenced.append(' ').append(each.isFenced());
            }
            ends.attach(agent);
            return fenced.toString();
        }

        String read(int agent) {
            if (!ends.agents[agent].peek(message)) {
                return "nothing; generation " + ends.agents[agent].resyncGeneration();
            }
            String found = Arrays.toString(message.words());
            ends.agents[agent].consume();
            return found + " barrier " + ends.agents[agent].barrier();
        }

        String stage(int cpu, int task, int sequence, boolean atCommit) {
            int agent = shape.agentOf(cpu);
            Transaction decision = new Transaction().set(cpu, ends.host.epoch(agent), sequence, task)
                    .sliceNanos(sequence * 3L);
            if (atCommit) {
                decision.commitFlags(Transaction.AT_COMMIT);
            }
            return "room " + ends.agents[agent].room(cpu) + ", staged " + ends.agents[agent].stage(cpu, decision);
        }

        String commitAgent(int agent) {
            ends.agents[agent].commit();
            return "rings " + ends.rings;
        }

        String outcomes(int agent) {
            List<String> found = new ArrayList<>();
            ends.agents[agent].outcomes(
                    (cpu, number, identity, outcome) -> found.add(cpu + " " + number + " " + identity + " " + outcome));
            return found + " rings " + ends.rings;
        }

        String withdraw(int cpu) {
            return "" + ends.agents[shape.agentOf(cpu)].withdraw(cpu);
        }

        String beat(int agent) {
            ends.agents[agent].heartbeat();
            ends.settle();
            return "heard " + ends.host.heartbeat(agent);
        }

        String tickAgent(int agent) {
            ends.agents[agent].tick();
            return "rings " + ends.rings;
        }

        String ready(int agent) {
            ends.agents[agent].ready();
            ends.settle();
            return "" + ends.host.isReady(agent);
        }

        String status(int agent, int task) {
            StatusWord word = new StatusWord();
            boolean whole = ends.agents[agent].status().read(task, word);
            return whole + " sequence " + word.sequence() + " in use " + word.isInUse();
        }
    }
}
