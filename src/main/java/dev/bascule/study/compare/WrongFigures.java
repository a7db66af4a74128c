package dev.bascule.study.compare;

import dev.bascule.report.Section;
import java.util.ArrayList;
import java.util.List;

/** Figures that the load's count must never show. */
final class WrongFigures {
    static final String LOST = "tasks lost: asked to run and never did";
    static final String UNASKED = "runs of tasks that had not asked";

    private WrongFigures() {}

    /** Of one column; empty if nothing was lost and nothing ran unasked. */
    static List<Section.Wrong> of(String table, String column, long lost, long unasked) {
        List<Section.Wrong> wrong = new ArrayList<>();
        if (lost != 0) {
            wrong.add(new Section.Wrong(table, column, LOST, lost, "A task that asked to run was forgotten: after "
                    + SoloLedger.PATIENCE + " runs of others it had not run."));
        }
        if (unasked != 0) {
            wrong.add(new Section.Wrong(table, column, UNASKED, unasked,
                    "A task that was already running, or had ended, was put on a CPU."));
        }
        return wrong;
    }
}
