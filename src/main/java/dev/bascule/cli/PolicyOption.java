package dev.bascule.cli;

import dev.bascule.agent.Agent;
import dev.bascule.registry.PolicySpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Policy that an agent runs: one that ships, or a class of one's own from a jar or folder. */
final class PolicyOption {
    static final String PATH = "jars and folders of classes, with colons between them, that have the policy's class";

    @Option(names = "--policy", defaultValue = "fifo", paramLabel = "NAME|CLASS", description = "policy that ships ('bascule policies' lists them), or the full name of a class of your own; 'run' compares several, with commas between; default ${DEFAULT-VALUE}")
    private String policy = "fifo";

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PATH)
    private @Nullable List<Path> path;

    @Option(names = "--policy-option", paramLabel = "KEY=VALUE", description = "option of the policy, as quantum=20us, or shinjuku.quantum=20us if there are several policies; for several, repeat it")
    private Map<String, String> options = new LinkedHashMap<>();

    /** Policy as the user named it, unchecked. */
    PolicySpec spec() {
        return new PolicySpec(policy, options, path == null ? List.of() : path);
    }

    /** Policies with commas between them, unchecked; of several, each with the options that begin with its name. */
    List<PolicySpec> specs() {
        List<String> names = List.of(policy.split(",", -1));
        if (names.size() == 1) {
            return List.of(spec());
        }
        options.keySet().stream().filter(key -> names.stream().noneMatch(name -> key.startsWith(name + ".")))
                .findFirst().ifPresent(key -> {
                    throw new Misuse("--policy-option " + key + "=" + options.get(key)
                            + ": there are several policies; say whose: " + names.getLast() + "." + key + "="
                            + options.get(key));
                });
        List<PolicySpec> all = new ArrayList<>();
        for (String name : names) {
            if (all.stream().anyMatch(other -> other.name().equals(name))) {
                throw new Misuse("--policy " + policy + ": " + name + " is named twice; leave one out");
            }
            Map<String, String> own = new LinkedHashMap<>();
            options.forEach((key, value) -> {
                if (key.startsWith(name + ".")) {
                    own.put(key.substring(name.length() + 1), value);
                }
            });
            all.add(new PolicySpec(name, own, path == null ? List.of() : path));
        }
        return all;
    }

    /** Makes its agents; an unknown name or option of a policy that ships is a {@link Misuse}. */
    static Supplier<Agent> checked(PolicySpec spec) {
        return spec.isOwn() ? spec.factory() : Misuse.reading("--policy " + spec.name(), spec::factory);
    }
}
