package dev.bascule.run;

import dev.bascule.host.AgentProcess;
import dev.bascule.host.Session;
import dev.bascule.local.LocalProtocol;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an agent's process is started: by this program, or on a card's cores by a command of the user's.
 *
 * @param by what runs {@code bascule} there, in a shell's words, such as {@code ssh root@card bascule}; null: this program
 * @param device value of {@code --device} on the cores of the card whose region it is; null: memory of this machine
 * @param core what an agent of this machine runs on; -1: any
 */
public record AgentStart(@Nullable String by, @Nullable String device, int core) {
    /** Help text of the option. */
    public static final String OPTION = "starts agents on the card's cores: what runs 'bascule' there, such as 'ssh root@192.168.100.2 bascule'; it ends when its standard input does";

    /** Whether agents of this transport run beside the host, whatever card there is. */
    static boolean isOnHost(Session session) {
        return session.name().equals(LocalProtocol.NAME);
    }

    /**
     * The command.
     *
     * @param policy the words that name its policy
     * @param flags of its JVM, if it is one of this program
     * @param more words of {@code bascule agent}
     */
    public List<String> command(Session session, List<String> policy, List<String> flags, String... more) {
        String away = by == null || isOnHost(session) ? null : device;
        List<String> arguments = new ArrayList<>(List.of("agent", "--child"));
        arguments.addAll(away != null
                ? List.of("--device", away)
                : List.of("--attach", session.directory().toString()));
        arguments.addAll(List.of("--transport", session.name()));
        arguments.addAll(policy);
        if (core >= 0 && away == null) {
            arguments.addAll(List.of("--cpu", Integer.toString(core)));
        }
        arguments.addAll(List.of(more));
        if (away == null) {
            return AgentProcess.ownCommand(flags, arguments);
        }
        List<String> command = new ArrayList<>(
                UserShell.command("--agent-command", String.valueOf(by), session.directory().resolve("agent-command")));
        command.addAll(arguments);
        return command;
    }
}
