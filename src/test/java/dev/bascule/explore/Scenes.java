package dev.bascule.explore;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.agent.StatusWord;
import dev.bascule.agent.Transaction;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** What CPUs, agents and their host do in each setting. CPUs are driven by the live host's own dispatcher. */
public final class Scenes {
    private static final int NONE = Mechanism.NONE;
    private static final int AGENT = 2;

    private Scenes() {}

    /** The scene of this name over a transport; a new one for each run. */
    public static Supplier<Explorer.Scene> of(String name, String transport, int depth, Explorer explorer) {
        EnclaveShape shape = new EnclaveShape(World.CPUS, World.TASKS, name.contains("two agents") ? 2 : 1, 16, depth);
        Ends ends = new Ends(transport, shape);
        Function<World, List<Explorer.Body>> script = switch (name) {
            case "run" -> Scenes::run;
            case "same task" -> Scenes::sameTask;
            case "steer" -> Scenes::steer;
            case "wake" -> Scenes::wake;
            case "withdraw" -> Scenes::withdraw;
            case "withdraw second" -> Scenes::withdrawSecond;
            case "tick" -> Scenes::tick;
            case "preempt" -> Scenes::preempt;
            case "group" -> Scenes::group;
            case "sleep" -> Scenes::sleep;
            case "group asleep" -> Scenes::groupAsleep;
            case "crash" -> world -> replaced(world, true);
            case "zombie" -> world -> replaced(world, false);
            case "two agents" -> Scenes::twoAgents;
            case "one of two agents fenced" -> Scenes::oneOfTwoFenced;
            case "task between two agents" -> Scenes::taskBetweenTwo;
            default -> throw new IllegalArgumentException("no scene is called " + name);
        };
        return () -> new World(explorer, ends, shape, 3, script);
    }

    // ---- CPUs ----------------------------------------------------------------------------------------------------

    /** A CPU of the live host: sleeps or polls; begins with a task, which runs until another one does, or is preempted. */
    private record Cpu(World world, int id, boolean sleeps, int first, boolean yields) {
        Explorer.Body body() {
            return new Explorer.Body("cpu" + id, false, this::run);
        }

        private void run() {
            if (first != NONE) {
                serve(first);
            }
            boolean again = true; // a look that asks for a decision is followed by one that looks for it
            while (true) {
                long seen = world.explorer.seen();
                int task = world.host.decide(id);
                if (task != NONE) {
                    serve(task);
                    again = true;
                } else if (again) {
                    again = false;
                } else if (!sleeps || !world.host.sleep(id)) {
                    world.explorer.pause(seen);
                }
            }
        }

        private void serve(int task) {
            world.enters(id, task);
            boolean preempted = false;
            if (task == first && yields) {
                preempted = yieldUntilPreempted();
            } else if (task == first && world.wakesOnce == NONE && !world.ends.isSwap()) { // there, nothing is promised
                world.explorer.await(() -> world.runs[1] + world.runs[2] > 0); // to a CPU that did not offer; a long one
            } else {
                world.explorer.point();
            }
            world.leaves(id);
            world.host.ran(id, task, preempted);
            world.explorer.changed();
        }

        /** A task that would run on, were it not asked to leave. */
        private boolean yieldUntilPreempted() {
            long seen = world.explorer.seen();
            while (!world.host.isPreempted(id)) {
                world.explorer.pause(seen);
                seen = world.explorer.seen();
            }
            return true;
        }
    }

    private static Explorer.Body polling(World world, int id) {
        return new Cpu(world, id, false, NONE, false).body();
    }

    private static Explorer.Body sleeping(World world, int id) {
        return new Cpu(world, id, true, NONE, false).body();
    }

    /** Decides by itself once it has run a task. */
    private static Explorer.Body impatient(World world, int id) {
        world.ownAfter[id] = 1;
        return polling(world, id);
    }

    private static Explorer.Body busy(World world, int id, int first) {
        return new Cpu(world, id, false, first, false).body();
    }

    private static Explorer.Body agent(Runnable code) {
        return new Explorer.Body("agent", true, code);
    }

    private static Transaction decision(World world, AgentEnd agent, int cpu, int task) {
        return new Transaction().set(cpu, agent.epoch(), world.mechanism.sequence(task), task);
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    /** Both CPUs get a task; one of them would also take one by itself. */
    private static List<Explorer.Body> run(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 1, 1);
        return List.of(polling(world, 0), impatient(world, 1), agent(() -> {
            world.stage(agent, one);
            agent.commit();
            world.stage(agent, two);
            agent.commit();
            world.hearAll(agent);
        }));
    }

    /**
     * Requests steered into cores' queues: two at once into one, whose core takes them in turn, one into the other's, whose core
     * also takes one by itself: it may have been promised to its neighbour by then.
     */
    private static List<Explorer.Body> steer(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 0, 1);
        Transaction three = decision(world, agent, 1, 2);
        return List.of(polling(world, 0), impatient(world, 1), agent(() -> {
            world.stage(agent, one);
            world.stage(agent, two);
            world.stage(agent, three);
            agent.commit();
            world.hearAll(agent);
        }));
    }

    /** Two decisions for one task: one of them holds. */
    private static List<Explorer.Body> sameTask(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 1, 0);
        return List.of(polling(world, 0), polling(world, 1), agent(() -> both(world, agent, one, two)));
    }

    /** A task blocks and wakes at once, as one that takes its next job; the agent decides for it on the other CPU. */
    private static List<Explorer.Body> wake(World world) {
        AgentEnd agent = world.attach(1);
        int first = world.host.begin(0);
        world.wakesOnce = first;
        return List.of(busy(world, 0, first), polling(world, 1), agent(() -> {
            Message message = new Message();
            do {
                long seen = world.explorer.seen();
                if (agent.peek(message)) {
                    agent.consume();
                } else {
                    world.explorer.pause(seen);
                }
            } while (message.type() != MessageType.TASK_WAKEUP);
            world.stage(agent, new Transaction().set(1, agent.epoch(), message.sequence(), first));
            agent.commit();
            world.hearAll(agent);
        }));
    }

    private static List<Explorer.Body> withdraw(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 0, 1);
        return List.of(polling(world, 0), polling(world, 1), agent(() -> {
            world.stage(agent, one);
            agent.commit();
            world.takeBack(agent, one);
            world.stage(agent, two);
            agent.commit();
            agent.tick();
            world.hearAll(agent);
        }));
    }

    /** The newer of two is taken back, and another takes its place. */
    private static List<Explorer.Body> withdrawSecond(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 0, 1);
        Transaction three = decision(world, agent, 0, 2);
        return List.of(polling(world, 0), polling(world, 1), agent(() -> {
            world.stage(agent, one);
            world.stage(agent, two);
            agent.commit();
            world.takeBack(agent, two);
            world.stage(agent, three);
            agent.commit();
            agent.tick();
            world.hearAll(agent);
        }));
    }

    /** Both ends repeat what may have been lost while decisions are staged, taken back and answered. */
    private static List<Explorer.Body> tick(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 0, 1);
        return List.of(polling(world, 0), polling(world, 1), agent(() -> {
            world.stage(agent, one);
            agent.commit();
            agent.tick();
            world.takeBack(agent, one);
            agent.tick();
            world.stage(agent, two);
            agent.commit();
            agent.tick();
            world.hearAll(agent);
        }), new Explorer.Body("housekeeper", false, () -> {
            for (int i = 0; i < 2; i++) {
                world.host.housekeep();
                long seen = world.explorer.seen();
                world.explorer.pause(seen);
            }
        }));
    }

    /** A task that would run on has to leave, for both CPUs get a task at once or none does. */
    private static List<Explorer.Body> preempt(World world) {
        AgentEnd agent = world.attach(1);
        int first = world.host.begin(0);
        Transaction one = decision(world, agent, 0, 1).group(7, 2).commitFlags(Transaction.AT_COMMIT);
        Transaction two = decision(world, agent, 1, 2).group(7, 2);
        return List.of(new Cpu(world, 0, false, first, true).body(), impatient(world, 1),
                agent(() -> both(world, agent, one, two)));
    }

    /** All or none for both CPUs while one is busy; the other then decides by itself. */
    private static List<Explorer.Body> group(World world) {
        AgentEnd agent = world.attach(1);
        int busy = world.host.begin(0);
        Transaction one = decision(world, agent, 0, 1).group(7, 2);
        Transaction two = decision(world, agent, 1, 2).group(7, 2);
        return List.of(busy(world, 0, busy), impatient(world, 1), agent(() -> both(world, agent, one, two)));
    }

    private static List<Explorer.Body> groupAsleep(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 1).group(7, 2);
        Transaction two = decision(world, agent, 1, 2).group(7, 2);
        return List.of(sleeping(world, 0), sleeping(world, 1), agent(() -> both(world, agent, one, two)));
    }

    private static List<Explorer.Body> sleep(World world) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 1, 1);
        return List.of(sleeping(world, 0), sleeping(world, 1), agent(() -> both(world, agent, one, two)));
    }

    private static void both(World world, AgentEnd agent, Transaction one, Transaction two) {
        world.stage(agent, one);
        world.stage(agent, two);
        agent.commit();
        world.hearAll(agent);
    }

    /** The agent is fenced, after its end or at any time, and another takes its place. */
    private static List<Explorer.Body> replaced(World world, boolean afterItsEnd) {
        AgentEnd agent = world.attach(1);
        Transaction one = decision(world, agent, 0, 0);
        Transaction two = decision(world, agent, 1, 1);
        return List.of(polling(world, 0), polling(world, 1), agent(() -> {
            world.stage(agent, one);
            world.stage(agent, two);
            agent.commit();
            world.hearAll(agent);
        }), new Explorer.Body("successor", false, () -> {
            if (afterItsEnd) {
                world.explorer.await(() -> world.explorer.hasEnded(AGENT));
            }
            world.host.fence(0);
            world.explorer.changed();
            succeed(world);
        }));
    }

    // ---- two agents, a CPU each: tasks 0 and 2 are the first one's, task 1 the other's ----------------------------

    private static Explorer.Body decides(World world, AgentEnd agent, Transaction... decisions) {
        return agent(() -> {
            for (Transaction decision : decisions) {
                if (!world.stage(agent, decision)) {
                    return;
                }
                agent.commit();
            }
            world.hearAll(agent);
        });
    }

    /** Each decides for its CPU; one of these would also take a task by itself, and finds none of the other's. */
    private static List<Explorer.Body> twoAgents(World world) {
        AgentEnd first = world.attach(0, 1);
        AgentEnd second = world.attach(1, 1);
        return List.of(polling(world, 0), impatient(world, 1),
                decides(world, first, decision(world, first, 0, 0), decision(world, first, 0, 2)),
                decides(world, second, decision(world, second, 1, 1)));
    }

    /** One is fenced at any time; the other goes on in its epoch and hears of all that it staged. */
    private static List<Explorer.Body> oneOfTwoFenced(World world) {
        AgentEnd first = world.attach(0, 1);
        AgentEnd second = world.attach(1, 1);
        return List.of(polling(world, 0), polling(world, 1), decides(world, first, decision(world, first, 0, 0)),
                decides(world, second, decision(world, second, 1, 1)), new Explorer.Body("fence", false, () -> {
                    world.host.fence(0);
                    world.explorer.changed();
                    AgentEnd successor = world.attach(0, 2);
                    if (second.isFenced() || world.end.epoch(1) != 1) {
                        throw new AssertionError("the other agent was fenced as well");
                    }
                    world.stage(successor, decision(world, successor, 0, 2));
                    successor.commit();
                    world.hearAll(successor);
                }));
    }

    /** A task goes to the other agent, unless its CPU takes it first; then the one that is told of it decides. */
    private static List<Explorer.Body> taskBetweenTwo(World world) {
        AgentEnd first = world.attach(0, 1);
        AgentEnd second = world.attach(1, 1);
        Transaction move = decision(world, first, 0, 0).associate(1);
        return List.of(impatient(world, 0), polling(world, 1), decides(world, first, move), agent(() -> {
            Message message = new Message();
            do {
                long seen = world.explorer.seen();
                if (second.peek(message)) {
                    second.consume();
                } else {
                    world.explorer.pause(seen);
                }
            } while (message.task() != 0 || message.type() != MessageType.TASK_NEW);
            world.stage(second, new Transaction().set(1, second.epoch(), message.sequence(), 0));
            second.commit();
            world.hearAll(second);
        }));
    }

    /** An agent that knows nothing but the status words. */
    private static void succeed(World world) {
        AgentEnd agent = world.attach(2);
        StatusWord status = new StatusWord();
        for (boolean waiting = true; waiting;) {
            waiting = false;
            for (int task = 0; task < 3; task++) {
                long seen = world.explorer.seen();
                boolean whole = agent.status().read(task, status);
                waiting |= !whole;
                if (!whole) {
                    world.explorer.pause(seen); // the host is about to write it
                }
                if (whole && status.isWaiting()) {
                    waiting = true;
                    int cpu = task % World.CPUS;
                    world.stage(agent, new Transaction().set(cpu, agent.epoch(), status.sequence(), task));
                    agent.commit();
                    world.hearAll(agent);
                }
            }
        }
    }
}
