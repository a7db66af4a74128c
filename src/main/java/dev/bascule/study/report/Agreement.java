package dev.bascule.study.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Agreement with the published figures: the first lines of every reproduction.
 *
 * @param agrees which of the predicted figures lie close to what was published
 * @param differs where most do not, and by how much
 * @param why what would explain that
 */
public record Agreement(String agrees, String differs, String why) {
    /**
     * A predicted figure beside its published one.
     *
     * @param section where it stands
     * @param what it is
     * @param isClose whether it lies within 15 %, or 5 points
     * @param deviation as it is printed
     * @param size of the deviation, to order them by
     */
    public record Entry(String section, String what, boolean isClose, String deviation, double size) {}

    /** Agreement of these figures. */
    public static Agreement of(List<Entry> entries, String why) {
        if (entries.isEmpty()) {
            return new Agreement("nothing: no figure has a published counterpart that is not among its inputs",
                    "nothing", why);
        }
        Map<String, int[]> bySection = new LinkedHashMap<>();
        for (Entry entry : entries) {
            int[] counts = bySection.computeIfAbsent(entry.section(), id -> new int[2]);
            counts[0] += entry.isClose() ? 1 : 0;
            counts[1]++;
        }
        List<String> parts = new ArrayList<>();
        bySection.forEach((id, counts) -> parts.add("(" + id + ") " + counts[0] + " of " + counts[1]));
        long close = entries.stream().filter(Entry::isClose).count();
        String agrees = String.format(Locale.ROOT,
                "%d of %d predicted figures lie within 15 %% of the published ones (percentages: 5 points), %.0f %%: %s",
                close, entries.size(), 100.0 * close / entries.size(), String.join(", ", parts));
        String differs = entries.stream().filter(entry -> !entry.isClose())
                .max(Comparator.comparingDouble(Entry::size))
                .map(worst -> (entries.size() - close) + " of them, by most (" + worst.section() + ") "
                        + worst.what() + " by " + worst.deviation())
                .orElse("nothing");
        return new Agreement(agrees, differs, why);
    }

    /** With more that agrees. */
    public Agreement also(String more) {
        return new Agreement(agrees + "; " + more, differs, why);
    }

    /** Lines for the top of a page. */
    public List<String> lines() {
        return List.of("Agrees: " + agrees + ".", "Does not: " + differs + ".", "Why: " + why + ".");
    }
}
