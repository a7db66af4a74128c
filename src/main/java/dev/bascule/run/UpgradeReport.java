package dev.bascule.run;

import dev.bascule.host.Upgrade;
import dev.bascule.json.Json;
import dev.bascule.report.Numbers;
import dev.bascule.report.RunFault;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Report on the upgrades within a run. */
public final class UpgradeReport {
    private UpgradeReport() {}

    /** One as JSON: the time without an agent, and where it went, us. */
    public static Json.Obj json(String transport, Upgrade upgrade) {
        Json.Obj one = Json.object().put("transport", transport).put("agent", upgrade.agent())
                .put("upgraded", upgrade.failure() == null).putFigure("gapMicros", upgrade.gapNanos() / 1e3, false);
        Upgrade.Steps steps = upgrade.steps();
        if (steps == null) {
            one.putNull("steps");
        } else {
            one.put("steps", Json.object().putFigure("fenceMicros", steps.fenceNanos() / 1e3, false)
                    .putFigure("noticeMicros", steps.noticeNanos() / 1e3, false)
                    .putFigure("attachMicros", steps.attachNanos() / 1e3, false)
                    .putFigure("roundMicros", steps.roundNanos() / 1e3, false)
                    .putFigure("seenMicros", steps.seenNanos() / 1e3, false));
        }
        return upgrade.failure() == null ? one.putNull("failure") : one.put("failure", upgrade.failure());
    }

    /** For people: the time without an agent, of several the median and the worst with its steps. */
    public static List<String> notes(String where, List<Upgrade> all) {
        List<Upgrade> done = all.stream().filter(upgrade -> upgrade.failure() == null)
                .sorted(Comparator.comparingLong(Upgrade::gapNanos)).toList();
        if (done.isEmpty()) {
            return List.of();
        }
        Upgrade worst = done.getLast();
        String gap = done.size() == 1
                ? where + ": the agent was upgraded: " + millis(worst.gapNanos()) + " ms without an agent"
                : where + ": " + done.size() + " upgrades: median "
                        + millis(done.get((done.size() - 1) / 2).gapNanos()) + " ms, worst "
                        + millis(worst.gapNanos()) + " ms without an agent";
        return List.of(gap + steps(worst));
    }

    private static String steps(Upgrade upgrade) {
        Upgrade.Steps steps = upgrade.steps();
        return steps == null
                ? ""
                : " (fence " + millis(steps.fenceNanos()) + ", noticed " + millis(steps.noticeNanos()) + ", attached "
                        + millis(steps.attachNanos()) + ", first round " + millis(steps.roundNanos()) + ", seen "
                        + millis(steps.seenNanos()) + ")";
    }

    private static String millis(long nanos) {
        return Numbers.digits(nanos / 1e6);
    }

    /** Faults of a run whose plan has upgrades, from those that have ended and the number of those that had begun. */
    static List<RunFault> faults(List<Upgrade> ended, int begun) {
        List<String> failures = ended.stream().map(Upgrade::failure).filter(Objects::nonNull).toList();
        if (!failures.isEmpty()) {
            return List.of(new RunFault(RunFault.Kind.UPGRADE, failures.size() + " of " + ended.size()
                    + " upgrades failed, and the agent before went on: " + failures.getFirst()));
        }
        return ended.isEmpty()
                ? List.of(new RunFault(RunFault.Kind.UPGRADE, (begun > 0
                        ? "an upgrade was still under way when the run ended"
                        : "no upgrade began before the run ended")
                        + "; say an earlier --upgrade-at or a longer --duration"))
                : List.of();
    }

    /** Those of upgrades. */
    static List<RunFault> among(List<RunFault> faults) {
        return faults.stream().filter(fault -> fault.kind() == RunFault.Kind.UPGRADE).toList();
    }
}
