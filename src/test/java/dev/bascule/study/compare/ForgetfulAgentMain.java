package dev.bascule.study.compare;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.AgentLoop;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.QueueAgent;
import dev.bascule.agent.TaskQueue;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process of an agent that drops one task for good when it wants to run, as soon as the file {@value #SIGN} is in the
 * run directory: {@code NAME DIR}.
 */
final class ForgetfulAgentMain extends QueueAgent {
    static final String SIGN = "forget";
    private static final int LOOKS = 64;

    private final Path sign;
    private TaskQueue queue = new TaskQueue(0);
    private int forgotten = -1;
    private int seen;

    private ForgetfulAgentMain(Path sign) {
        this.sign = sign;
    }

    static void main(String[] arguments) {
        Path directory = Path.of(arguments[1]);
        try (Session session = arguments[0].equals(WaveProtocol.NAME)
                ? Session.wave(directory, LinkSetup.DEFAULT, false)
                : Session.onHost(directory, false); AgentEnd end = session.attach(0)) {
            new AgentLoop(new ForgetfulAgentMain(directory.resolve(SIGN)), end, System::nanoTime)
                    .run(IdleStrategy.spin(), () -> false);
        }
    }

    @Override
    protected void clear(EnclaveShape shape) {
        queue = new TaskQueue(shape.tasks());
    }

    @Override
    protected void enqueue(int task) {
        if (forgotten < 0 && ++seen % LOOKS == 0 && Files.exists(sign)) {
            forgotten = task;
        }
        if (task != forgotten) {
            queue.addLast(task);
        }
    }

    @Override
    protected void remove(int task) {
        queue.remove(task);
    }

    @Override
    protected int pick(int cpu) {
        return takeFirst(queue, cpu);
    }
}
