package dev.bascule.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A systemd unit that runs an agent as a service. */
final class AgentUnit {
    private AgentUnit() {}

    /** With the words of the command line that asked for it. */
    static String of(List<String> words) {
        String launcher = System.getProperty("bascule.launcher",
                Path.of("scripts/bascule").toAbsolutePath().toString());
        String arguments = words.stream().filter(word -> !word.equals("--unit")).map(AgentUnit::quoted)
                .collect(Collectors.joining(" "));
        return """
                # >/etc/systemd/system/bascule-agent.service; then: systemctl daemon-reload; systemctl enable --now bascule-agent
                [Unit]
                Description=Bascule: an agent that decides for a host
                After=network.target

                [Service]
                ExecStart=%s %s
                Restart=always
                RestartSec=1
                # SIGTERM lets the agent leave; the host is told and goes on by itself at once
                TimeoutStopSec=10
                Nice=-10
                LimitMEMLOCK=infinity

                [Install]
                WantedBy=multi-user.target
                """
                .formatted(launcher, arguments);
    }

    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:=,@+-]+")
                ? word
                : "\"" + word.replace("\\", "\\\\").replace("\"", "\\\"")
                        .replace("%", "%%").replace("$", "$$") + "\"";
    }
}
