package dev.bascule.config;

import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used. The message is for the user as it stands: one problem per line. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    ConfigException(String message) {
        super(message);
        problems = List.of();
    }

    ConfigException(List<ConfigProblem> problems) {
        super(problems.stream().map(ConfigProblem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** The problems in the order of the file; empty when the file could not be found or read at all. */
    public List<ConfigProblem> problems() {
        return problems;
    }
}
