package dev.bascule.lanes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Lanes too long for CI, and when each last ran: a line each in {@code .ci/on-demand.txt}, which whoever runs one
 * commits.
 */
final class OnDemand {
    private static final Set<String> LANES = Set.of("coverage", "iommufd", "kernel-6.12", "rdma", "spin", "fuzz",
            "chaos", "kills", "stress");
    private static final String HEAD = "# Lanes on demand as they last ran: lane, day (UTC), commit, outcome.\n";

    private final Clone clone;
    private final Path file;

    OnDemand(Clone clone) {
        this.clone = clone;
        file = clone.base().resolve(".ci/on-demand.txt");
    }

    /** When a lane last ran, to stand behind why it did not now; empty if it is none of these or nobody knows. */
    String lastRan(String lane) throws IOException {
        return lines().stream().filter(line -> line.startsWith(lane + " ")).findFirst()
                .map(line -> "; last ran" + line.substring(lane.length())).orElse("");
    }

    /** Notes how a lane ended now. */
    void note(LaneResult lane) throws IOException, InterruptedException {
        if (!LANES.contains(lane.name()) || lane.status() == LaneResult.Status.SKIPPED) {
            return;
        }
        Program git = clone.program("commit", List.of("git", "rev-parse", "--short=8", "HEAD"));
        String commit = git.run("commit", log -> "") == 0 ? git.lastLine() : "unknown";
        // that of another lane's note is no change of what was tried
        Program changes = clone.program("changes",
                List.of("git", "diff", "--quiet", "HEAD", "--", ".", ":!.ci/on-demand.txt"));
        commit += changes.run("changes", log -> "") == 0 ? "" : "+";
        List<String> all = new ArrayList<>(
                lines().stream().filter(line -> !line.startsWith(lane.name() + " ")).toList());
        all.add(String.join(" ", lane.name(), LocalDate.now(ZoneOffset.UTC).toString(), commit,
                lane.status().word() + ":",
                lane.detail()));
        all.sort(null);
        Files.writeString(file, HEAD + String.join("\n", all) + "\n");
    }

    private List<String> lines() throws IOException {
        return Files.exists(file)
                ? Files.readAllLines(file).stream().filter(line -> !line.startsWith("#") && !line.isBlank()).toList()
                : List.of();
    }
}
