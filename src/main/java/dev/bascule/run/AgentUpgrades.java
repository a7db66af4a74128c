package dev.bascule.run;

import dev.bascule.host.LiveHost;
import dev.bascule.host.Upgrade;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Upgrades of a running host's agents that {@code bascule upgrade} asks for, one after the other: starts each and answers
 * when it has ended. Thread rule: one thread.
 */
public final class AgentUpgrades {
    private final Mailbox mailbox;
    private final LiveHost host;
    private final Consumer<List<String>> start;
    private Mailbox.@Nullable Request current;
    private final int agents;
    private int endedBefore;

    /**
     * For one host.
     *
     * @param start starts the successor of each agent with the words that name its policy; throws what an operator should read
     * @param agents how many there are
     */
    AgentUpgrades(Mailbox mailbox, LiveHost host, Consumer<List<String>> start, int agents) {
        this.agents = agents;
        this.mailbox = mailbox;
        this.host = host;
        this.start = start;
    }

    /** Looks for requests and for upgrades that have ended. */
    void look() {
        Mailbox.Request open = current;
        if (open == null) {
            mailbox.take().filter(Mailbox.Request::isAwaited).ifPresent(this::begin);
            return;
        }
        List<Upgrade> ended = host.upgrades();
        if (ended.size() >= endedBefore + agents) {
            mailbox.answer(open, worst(ended.subList(endedBefore, endedBefore + agents)).lines());
            current = null;
        }
    }

    private static UpgradeAnswer worst(List<Upgrade> upgrades) {
        long gap = upgrades.stream().mapToLong(Upgrade::gapNanos).max().orElse(0);
        String failure = upgrades.stream().map(Upgrade::failure).filter(Objects::nonNull).findFirst().orElse(null);
        return new UpgradeAnswer(gap, failure);
    }

    private void begin(Mailbox.Request request) {
        endedBefore = host.upgrades().size();
        try {
            start.accept(request.words());
            current = request;
        } catch (RuntimeException e) {
            mailbox.answer(request, new UpgradeAnswer(0, e.getMessage()).lines());
        }
    }
}
