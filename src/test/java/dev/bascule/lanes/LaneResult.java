package dev.bascule.lanes;

import java.util.ArrayList;
import java.util.List;

/**
 * How one lane ended. {@code lines} stand below it: what was skipped and why, what failed and what it said, each indented
 * by four blanks; those that begin with {@code "    failed"} are kept for the end as well.
 */
record LaneResult(String name, Status status, String detail, Counts counts, List<String> lines) {
    enum Status {
        RAN, FAILED, SKIPPED;

        String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    static LaneResult ran(String name, String detail) {
        return new LaneResult(name, Status.RAN, detail, Counts.NONE, List.of());
    }

    static LaneResult failed(String name, String detail) {
        return new LaneResult(name, Status.FAILED, detail, Counts.NONE, List.of());
    }

    static LaneResult skipped(String name, String detail) {
        return new LaneResult(name, Status.SKIPPED, detail, Counts.NONE, List.of());
    }

    /**
     * By its reports and the exit status of what ran it. A status other than 0 without a failed test is one failure more:
     * something went wrong that no report tells.
     */
    static LaneResult ofTests(String name, Reports reports, int exitStatus, String hint) {
        Counts counts = reports.counts();
        List<String> lines = new ArrayList<>(reports.longest());
        lines.addAll(reports.lines());
        boolean good = exitStatus == 0 && counts.failed() == 0;
        if (good && counts.tests() == 0) {
            return failed(name, "no test ran; " + hint);
        }
        if (good) {
            return new LaneResult(name, Status.RAN, counts.toString(), counts, List.copyOf(lines));
        }
        Counts all = counts.failed() > 0 ? counts : counts.plus(new Counts(0, 1, 0));
        String detail = counts + (exitStatus == 0 ? "" : ", exit status " + exitStatus + "; " + hint);
        return new LaneResult(name, Status.FAILED, detail, all, List.copyOf(lines));
    }

    LaneResult named(String other) {
        return new LaneResult(other, status, detail, counts, lines);
    }

    LaneResult with(String moreDetail, List<String> moreLines) {
        List<String> all = new ArrayList<>(lines);
        all.addAll(moreLines);
        return new LaneResult(name, status, detail + moreDetail, counts, List.copyOf(all));
    }
}
