package dev.bascule.run;

import dev.bascule.ffi.NearestWord;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.LinkSetup;
import dev.bascule.host.Session;
import dev.bascule.host.ThreadAgent;
import dev.bascule.local.LocalProtocol;
import dev.bascule.registry.PolicySpec;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveProtocol;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The agent of the kernel's tasks: what it decides by, how it is reached, and where it runs. It shares its CPU with what it
 * rules, perhaps, so it sleeps when it has nothing to do.
 *
 * @param inProcess a thread of this process; else a process of its own
 */
public record KernelAgents(PolicySpec policy, String transport, boolean inProcess) {
    private static final long NAP_NANOS = 50_000;

    /** The transport to a far agent; null: memory that agent and kernel share. */
    @Nullable
    Function<Path, Session> far() {
        return switch (transport) {
            case LocalProtocol.NAME -> null;
            case WaveProtocol.NAME -> directory -> Session.wave(directory, LinkSetup.DEFAULT, false);
            case SwapProtocol.NAME -> directory -> Session.swap(directory, LinkSetup.DEFAULT, false);
            default -> throw new Misuse(NearestWord.none("transport", transport, Transports.NAMES));
        };
    }

    AgentSupervisor over(Session session) {
        boolean isFar = !transport.equals(LocalProtocol.NAME);
        if (inProcess) {
            return new ThreadAgent(session, policy.factory(),
                    () -> isFar ? IdleStrategy.spinThenPark(RunAgents.SPINS, NAP_NANOS) : session.idle());
        }
        List<String> arguments = new ArrayList<>(List.of("agent", "--child", "--attach",
                session.directory().toString(), "--transport", session.name()));
        arguments.addAll(policy.arguments());
        if (isFar) {
            arguments.addAll(List.of("--nap", NAP_NANOS / 1000 + "us"));
        }
        return new AgentProcess(AgentProcess.ownCommand(JvmFlags.forAgent(), arguments),
                session.directory().resolve(AgentLog.FILE));
    }
}
