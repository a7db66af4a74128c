package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.registry.PolicySpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Policy that an agent runs: one that ships, or a class of one's own from a jar or folder. */
final class PolicyOption {
    static final String PATH = "jars and folders of classes, with colons between them, that have the policy's class";

    @Option(names = "--policy", defaultValue = "fifo", paramLabel = "NAME|CLASS", description = "policy that ships ('bascule policies' lists them), or the full name of a class of your own; default ${DEFAULT-VALUE}")
    private String policy = "fifo";

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PATH)
    private @Nullable List<Path> path;

    @Option(names = "--policy-option", paramLabel = "KEY=VALUE", description = "option of the policy, as quantum=20us; for several, repeat it")
    private Map<String, String> options = new LinkedHashMap<>();

    /** Policy as the user named it, unchecked. */
    PolicySpec spec() {
        return new PolicySpec(policy, options, path == null ? List.of() : path);
    }

    /** Makes its agents; an unknown name or option of a policy that ships is a {@link Misuse}. */
    static Supplier<Agent> checked(PolicySpec spec) {
        return spec.isOwn() ? spec.factory() : Misuse.reading("--policy " + spec.name(), spec::factory);
    }
}
