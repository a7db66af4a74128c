package dev.bascule.cli;

import dev.bascule.host.LiveHost;
import dev.bascule.host.Upgrade;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Upgrades of a running host's agent that {@code bascule upgrade} asks for, one after the other: starts each and answers
 * when it has ended. Thread rule: one thread.
 */
final class AgentUpgrades {
    private final UpgradeFiles files;
    private final LiveHost host;
    private final Consumer<List<String>> start;
    private UpgradeFiles.@Nullable Request current;
    private int endedBefore;

    /**
     * For one host.
     *
     * @param start starts the successor with the words that name its policy; throws what an operator should read
     */
    AgentUpgrades(UpgradeFiles files, LiveHost host, Consumer<List<String>> start) {
        this.files = files;
        this.host = host;
        this.start = start;
    }

    /** Looks for requests and for upgrades that have ended. */
    void look() {
        UpgradeFiles.Request open = current;
        if (open == null) {
            files.take().filter(AgentUpgrades::isAwaited).ifPresent(this::begin);
            return;
        }
        List<Upgrade> ended = host.upgrades();
        if (ended.size() > endedBefore) {
            Upgrade upgrade = ended.get(endedBefore);
            files.answer(open, new UpgradeFiles.Answer(upgrade.gapNanos(), upgrade.failure()));
            current = null;
        }
    }

    /** One that a former host did not get to is nobody's any more. */
    private static boolean isAwaited(UpgradeFiles.Request request) {
        return ProcessHandle.of(request.pid()).isPresent();
    }

    private void begin(UpgradeFiles.Request request) {
        endedBefore = host.upgrades().size();
        try {
            start.accept(request.policy());
            current = request;
        } catch (RuntimeException e) {
            files.answer(request, new UpgradeFiles.Answer(0, e.getMessage()));
        }
    }
}
