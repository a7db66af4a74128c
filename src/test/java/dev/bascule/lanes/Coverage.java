package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Lines and branches that the tests reached, from JaCoCo's {@code jacoco.csv}; by package. */
final class Coverage {
    private Coverage() {}

    static LaneResult of(Path csv) throws IOException {
        if (!Files.exists(csv)) {
            return LaneResult.skipped("coverage", "no coverage data");
        }
        Share lines = new Share();
        Share branches = new Share();
        Map<String, Share> packages = new TreeMap<>();
        List<String> rows = Files.readAllLines(csv);
        List<String> head = List.of(rows.getFirst().split(","));
        for (String row : rows.subList(1, rows.size())) {
            List<String> cells = List.of(row.split(","));
            String name = cells.get(head.indexOf("PACKAGE"));
            Share own = packages.computeIfAbsent(name, key -> new Share());
            for (Share share : List.of(lines, own)) {
                share.add(cells.get(head.indexOf("LINE_MISSED")), cells.get(head.indexOf("LINE_COVERED")));
            }
            branches.add(cells.get(head.indexOf("BRANCH_MISSED")), cells.get(head.indexOf("BRANCH_COVERED")));
        }
        List<String> below = new ArrayList<>();
        packages.forEach((name, share) -> {
            if (share.all() > 0) {
                below.add("    %5.1f %%  %5d lines  %s".formatted(share.percent(), share.all(), name));
            }
        });
        return LaneResult.ran("coverage", String.format(Locale.ROOT, "%.1f %% of %d lines, %.1f %% of %d branches",
                lines.percent(), lines.all(), branches.percent(), branches.all())).with("", below);
    }

    private static final class Share {
        private long missed;
        private long covered;

        void add(String more, String reached) {
            missed += Long.parseLong(more);
            covered += Long.parseLong(reached);
        }

        long all() {
            return missed + covered;
        }

        double percent() {
            return all() == 0 ? 0 : 100.0 * covered / all();
        }
    }
}
