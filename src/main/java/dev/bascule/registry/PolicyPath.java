package dev.bascule.registry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The places of a user's own policy: jars and folders with classes. Each must be there and be what it claims. */
final class PolicyPath {
    private static final int MOST_NAMED = 5;

    private final List<Path> places;

    /**
     * Looks at each place.
     *
     * @throws IllegalArgumentException if one is not there, or neither a jar nor a folder
     */
    PolicyPath(List<Path> places) {
        this.places = places;
        places.forEach(PolicyPath::check);
    }

    private static void check(Path place) {
        if (!Files.exists(place)) {
            throw new IllegalArgumentException("--policy-path " + place + ": there is no such jar or folder");
        }
        if (!Files.isDirectory(place)) {
            try (JarFile jar = new JarFile(place.toFile())) {
                jar.size();
            } catch (IOException e) {
                throw new IllegalArgumentException("--policy-path " + place + ": neither a folder nor a readable jar: "
                        + e.getMessage(), e);
            }
        }
    }

    /** A loader of its own, so that an agent's classes meet nobody else's; it lives as long as its policy. */
    ClassLoader loader() {
        ClassLoader own = ClassLoader.getSystemClassLoader();
        if (places.isEmpty()) {
            return own;
        }
        URL[] urls = new URL[places.size()];
        for (int i = 0; i < urls.length; i++) {
            try {
                urls[i] = places.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException("--policy-path " + places.get(i) + ": " + e.getMessage(), e);
            }
        }
        return new URLClassLoader("policy", urls, own);
    }

    /** Where it was looked for and what is there instead, for an error. */
    String describe() {
        if (places.isEmpty()) {
            return "on the class path; name the jar or folder that has it: --policy-path JAR";
        }
        List<String> there = new ArrayList<>();
        places.forEach(place -> there.addAll(classes(place)));
        String some = there.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        String rest = there.size() > MOST_NAMED ? " and " + (there.size() - MOST_NAMED) + " more" : "";
        return "in " + places.stream().map(Path::toString).collect(Collectors.joining(", "))
                + (there.isEmpty() ? ", where there are no classes" : "; there are " + some + rest);
    }

    private static List<String> classes(Path place) {
        try {
            if (Files.isDirectory(place)) {
                try (Stream<Path> files = Files.walk(place)) {
                    return named(files.map(file -> place.relativize(file).toString()));
                }
            }
            try (JarFile jar = new JarFile(place.toFile())) {
                return named(jar.stream().map(Object::toString));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("list the classes of " + place + ": " + e.getMessage(), e);
        }
    }

    private static List<String> named(Stream<String> files) {
        return files.filter(file -> file.endsWith(".class") && !file.contains("$") && !file.endsWith("-info.class"))
                .map(file -> file.substring(0, file.length() - ".class".length()).replace('/', '.')).sorted().toList();
    }
}
