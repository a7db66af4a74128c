package dev.bascule.cli;

import dev.bascule.registry.PolicySpec;
import dev.bascule.run.Misuse;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Policy that an agent runs: one that ships, or a class of one's own from a jar or folder. */
public final class PolicyOption {
    public static final String PATH = "jars and folders of classes, with colons between them,"
            + " that have the policy's class";

    @Option(names = "--policy", defaultValue = "fifo", paramLabel = "NAME|CLASS", description = "policy that ships ('bascule policies' lists them), or the full name of a class of your own; 'run' compares several, with commas between, also one with other options, as a=shinjuku,b=shinjuku; default ${DEFAULT-VALUE}")
    private String policy = "fifo";

    @Option(names = "--policy-path", split = ":", paramLabel = "JAR|DIR", description = PATH)
    private @Nullable List<Path> path;

    @Option(names = "--policy-option", paramLabel = "KEY=VALUE", description = "option of the policy, as quantum=20us, or shinjuku.quantum=20us if there are several policies, or b.quantum=20us for the one called b; for several, repeat it")
    private Map<String, String> options = new LinkedHashMap<>();

    /** Policy as the user named it, unchecked. */
    public PolicySpec spec() {
        return new PolicySpec(policy, options, path == null ? List.of() : path);
    }

    /** Policies by the names of their columns, unchecked; of several, each with the options of that name. */
    SequencedMap<String, PolicySpec> specs() {
        List<String> words = List.of(policy.split(",", -1));
        if (words.size() == 1 && !policy.contains("=")) {
            return new LinkedHashMap<>(Map.of(policy, spec()));
        }
        List<String> names = words.stream().map(word -> word.substring(0, (word + "=").indexOf('='))).toList();
        options.keySet().stream().filter(key -> names.stream().noneMatch(name -> key.startsWith(name + ".")))
                .findFirst().ifPresent(key -> {
                    throw new Misuse("--policy-option " + key + "=" + options.get(key)
                            + ": there are several policies; say whose: " + names.getLast() + "." + key + "="
                            + options.get(key));
                });
        SequencedMap<String, PolicySpec> all = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Map<String, String> own = new LinkedHashMap<>();
            options.forEach((key, value) -> {
                if (key.startsWith(name + ".")) {
                    own.put(key.substring(name.length() + 1), value);
                }
            });
            String word = words.get(i);
            PolicySpec spec = new PolicySpec(word.substring(word.indexOf('=') + 1), own,
                    path == null ? List.of() : path);
            if (all.put(name, spec) != null) {
                throw new Misuse(
                        "--policy " + policy + ": " + name + " is named twice; leave one out, or give them names, as a="
                                + spec.name() + ",b=" + spec.name() + " with --policy-option b.KEY=VALUE");
            }
        }
        return all;
    }
}
