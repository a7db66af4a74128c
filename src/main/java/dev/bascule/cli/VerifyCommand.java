package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.host.PolicyVerifier;
import dev.bascule.host.PolicyVerifier.Property;
import dev.bascule.host.PolicyVerifier.Result;
import dev.bascule.registry.Durations;
import dev.bascule.registry.Policies;
import dev.bascule.registry.PolicySpec;
import dev.bascule.run.Errors;
import dev.bascule.run.Misuse;
import dev.bascule.run.Progress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Searches what a policy does wrong, on small enclaves. */
@Command(name = "verify", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Tries every sequence of a few events on a small enclave, the short ones first, and looks whether a "
                + "policy forgets or "
                + "starves a task, leaves a CPU idle while a task waits, breaks affinity, loses its state when "
                + "its agent dies, "
                + "decides differently when the same happens again, allocates or throws. What is found is told "
                + "as the shortest story.",
        "Within its bounds the search is complete; it says how far it came." }, footer = { "", "Examples:",
                "  bascule verify --policy shinjuku",
                "  bascule verify --policy my.Sejf --policy-path sejf.jar --except fair --duration 1m",
                "  bascule verify --policy sjf --cpus 1 --tasks 4 --json",
                "  bascule verify --shipped --duration 1s", "",
                "The exit status is 1 if something was found that is not --except. Of policies that ship, what "
                        + "they do not promise "
                        + "is told and is no failure." })
final class VerifyCommand extends CommandBase {
    @Mixin
    private PolicyOption policy = new PolicyOption();

    @Option(names = "--shipped", description = "all policies that ship, one after the other")
    private boolean isShipped;

    @Range("1..4")
    @Option(names = "--cpus", defaultValue = "2", paramLabel = "N", description = "CPUs of the enclave; default "
            + "${DEFAULT-VALUE}")
    private int cpus = 2;

    @Range("1..6")
    @Option(names = "--tasks", defaultValue = "3", paramLabel = "N", description = "its tasks; default "
            + "${DEFAULT-VALUE}")
    private int tasks = 3;

    @Range("0..20")
    @Option(names = "--depth", defaultValue = "4", paramLabel = "N", description = "most events of a sequence; "
            + "default ${DEFAULT-VALUE}")
    private int depth = 4;

    @Range(">0s..")
    @Option(names = "--duration", defaultValue = "4s", paramLabel = "TIME", description = "for each policy; "
            + "default ${DEFAULT-VALUE}")
    private String duration = "4s";

    @OneOf({ "remembers", "rebuilds", "fair", "conserves", "valid", "deterministic", "sound", "frugal" })
    @Option(names = "--except", split = ",", paramLabel = "PROPERTY", description = "what the policy does not "
            + "promise: remembers, "
            + "rebuilds, fair, conserves, valid, deterministic, sound or frugal")
    private List<String> except = List.of();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() {
        Map<String, PolicySpec> all = isShipped ? shipped() : policy.specs();
        Progress progress = new Progress(System.err);
        Json.Arr results = Json.array();
        int status = 0;
        for (Map.Entry<String, PolicySpec> one : all.entrySet()) {
            String name = one.getKey();
            PolicySpec spec = one.getValue();
            progress.say(name);
            Result result = new PolicyVerifier(cpus, tasks).verify(name,
                    Misuse.reading("--policy " + spec.name(), spec::factory), depth, Durations.parseNanos(duration));
            Set<Property> intended = intended(spec.name());
            status = intended.containsAll(result.found().keySet()) ? status : Errors.FAILED;
            if (json) {
                results.add(json(result, intended));
            } else {
                out().print(result.text() + intent(result, intended));
                out().flush();
            }
        }
        if (json) {
            out().print(Json.object().put("cpus", cpus).put("tasks", tasks).put("policies", results).pretty());
            out().flush();
        }
        return status;
    }

    private static Map<String, PolicySpec> shipped() {
        Map<String, PolicySpec> all = new LinkedHashMap<>();
        Policies.ALL.forEach(one -> all.put(one.name(), PolicySpec.of(one.name()).withDefault("work", "1")));
        return all;
    }

    private Set<Property> intended(String name) {
        Set<Property> all = EnumSet.noneOf(Property.class);
        all.addAll(Policies.NOT_PROMISED.getOrDefault(name, Set.of()));
        except.forEach(word -> all.add(Property.valueOf(word.toUpperCase(Locale.ROOT))));
        return all;
    }

    private static String intent(Result result, Set<Property> intended) {
        StringJoiner words = new StringJoiner(", ", "  By intent: it ", ".\n").setEmptyValue("");
        result.found().keySet().stream().filter(intended::contains).forEach(one -> words.add(one.violated()));
        return words.toString();
    }

    private static Json.Obj json(Result result, Set<Property> intended) {
        List<Property> found = new ArrayList<>(result.found().keySet());
        return Json.object().put("policy", result.policy()).put("depth", result.depth())
                .put("wanted", result.wanted())
                .put("sequences", result.sequences())
                .put("found",
                        Json.array(found, one -> Json.object().put("property", one.name().toLowerCase(Locale.ROOT))
                                .put("what", one.violated()).put("byIntent", intended.contains(one))
                                .put("story", Json.texts(result.found().getOrDefault(one, List.of())))));
    }
}
