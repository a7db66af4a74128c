package dev.bascule.study.fabric.graph;

import dev.bascule.config.ConfigProblem;
import java.util.List;
import java.util.stream.Collectors;

/** A graph that no fabric can run. The message is for the user as it stands: one problem a line. */
public final class GraphException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    GraphException(List<ConfigProblem> problems) {
        super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Problems in the order of the file. */
    public List<ConfigProblem> problems() {
        return problems;
    }
}
