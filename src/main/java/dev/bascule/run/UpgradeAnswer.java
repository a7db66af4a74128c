package dev.bascule.run;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answer to a request for an upgrade.
 *
 * @param gapNanos time without an agent
 * @param failure why the old agent is still at work; null if it is not
 */
public record UpgradeAnswer(long gapNanos, @Nullable String failure) {
    /** Subject of these requests in a {@link Mailbox}; the words of a request name the new policy. */
    public static final String SUBJECT = "upgrade";

    List<String> lines() {
        return List.of(Long.toString(gapNanos), Objects.requireNonNullElse(failure, ""));
    }

    /** Answer that these lines are. */
    public static UpgradeAnswer of(List<String> lines) {
        return new UpgradeAnswer(Long.parseLong(lines.get(0)), lines.get(1).isEmpty() ? null : lines.get(1));
    }
}
