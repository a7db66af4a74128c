package dev.bascule.registry;

import dev.bascule.ffi.NearestWord;
import dev.bascule.agent.Agent;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Policy as a user names it.
 *
 * @param name of a policy that ships, or the full name of a class of one's own
 * @param options by key
 * @param path jars and folders with that class, besides Bascule's own class path; may be empty
 */
public record PolicySpec(String name, Map<String, String> options, List<Path> path) {
    /** Copies what it is given; paths become absolute, for another process may have another folder. */
    public PolicySpec {
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        path = path.stream().map(Path::toAbsolutePath).toList();
    }

    /** Without options. */
    public static PolicySpec of(String name) {
        return new PolicySpec(name, Map.of(), List.of());
    }

    /** Whether it is somebody's own class: no such policy ships. */
    public boolean isOwn() {
        return Policies.find(name).isEmpty() && (name.indexOf('.') > 0 || !path.isEmpty());
    }

    /** With a value for an option that was not given and follows from elsewhere, if the policy has it. */
    public PolicySpec withDefault(String key, String value) {
        if (options.containsKey(key) || Policies.find(name).stream().noneMatch(one -> one.has(key))) {
            return this;
        }
        Map<String, String> more = new LinkedHashMap<>(options);
        more.put(key, value);
        return new PolicySpec(name, more, path);
    }

    /**
     * Makes agents. One is made at once, so that whatever is wrong with it is an error here.
     *
     * @throws IllegalArgumentException if there is no such policy, jar, class or option, or it cannot be made
     */
    public Supplier<Agent> factory() {
        Supplier<Agent> made = Policies.find(name).map(one -> one.with(options)).orElseGet(this::own);
        Objects.requireNonNull(made.get());
        return made;
    }

    private Supplier<Agent> own() {
        if (!isOwn()) {
            throw new IllegalArgumentException(NearestWord.none("policy", name, List.of(Policies.NAMES.split(", ")))
                    + ", and classes of your own by their full name");
        }
        return OwnPolicy.of(name, options, path);
    }

    /** Numbers as the value of an option: with colons between them. */
    public static String numbers(double... values) {
        return Arrays.stream(values).mapToObj(Double::toString).collect(Collectors.joining(":"));
    }

    /** The words that name it on a command line. */
    public List<String> arguments() {
        List<String> words = new ArrayList<>(List.of("--policy", name));
        if (!path.isEmpty()) {
            words.add("--policy-path");
            words.add(path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
        }
        options.forEach((key, value) -> words.addAll(List.of("--policy-option", key + "=" + value)));
        return words;
    }

    /** For people: the name and its options. */
    @Override
    public String toString() {
        return name + options.entrySet().stream().map(one -> " " + one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining());
    }
}
