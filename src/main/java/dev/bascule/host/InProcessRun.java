package dev.bascule.host;

import dev.bascule.agent.Agent;
import dev.bascule.agent.DecisionListener;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Run directory and session of a live host that has everything in this process. */
final class InProcessRun implements AutoCloseable {
    /** Empty rounds of the agent before it yields its core: some ten microseconds. */
    private static final int SPINS = 256;

    private final ScratchFolder folder;
    private final Session session;

    private InProcessRun(ScratchFolder folder, Session session) {
        this.folder = folder;
        this.session = session;
    }

    static LiveHost start(Function<Path, ? extends Session> transport, Supplier<? extends Agent> policy,
            EnclaveShape shape, LiveOptions options, JobRunner jobs) {
        ScratchFolder folder = Session.newRunDirectory();
        Session session = transport.apply(folder.path());
        InProcessRun run = new InProcessRun(folder, session);
        try {
            MechanismEnd end = session.openHost(shape);
            LiveHost host = new LiveHost(end, new Mechanism(end, System::nanoTime, DecisionListener.NONE), options,
                    agents(session, policy, shape), jobs);
            host.standsOn(run);
            host.start();
            return host;
        } catch (RuntimeException e) {
            run.close();
            throw e;
        }
    }

    private static List<ThreadAgent> agents(Session session, Supplier<? extends Agent> policy,
            EnclaveShape shape) {
        return IntStream.range(0, shape.agents())
                .mapToObj(agent -> new ThreadAgent(session, agent, policy, () -> IdleStrategy.spinThenYield(SPINS)))
                .toList();
    }

    @Override
    public void close() {
        try {
            session.close();
        } finally {
            AgentLog.keepIn(folder);
            folder.close();
        }
    }
}
