package dev.bascule.house;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tests that pages name, and those that are there. */
final class TestNames {
    private static final Pattern NAMED = Pattern.compile("`(\\w+)(?:\\.(\\w+))?`");
    private static final Pattern METHOD = Pattern.compile(
            "@(?:Parameterized|Repeated)?Test\\b(?:(?!@(?:Parameterized|Repeated)?Test\\b)[\\s\\S])*?\\bvoid (\\w+)\\(");

    private TestNames() {}

    /** The methods that are tests, by the simple name of their class; of classes of one name those of all. */
    static Map<String, Set<String>> all() {
        Map<String, Set<String>> all = new TreeMap<>();
        House.files("src", "Test.java", "Conformance.java").stream()
                .filter(file -> House.relative(file).contains("/java/")).forEach(file -> {
                    Matcher method = METHOD.matcher(House.read(file));
                    String name = file.getFileName().toString().replace(".java", "");
                    while (method.find()) {
                        all.computeIfAbsent(name, key -> new HashSet<>()).add(method.group(1));
                    }
                });
        return all;
    }

    /** Class and method, or null, of each test that {@code text} names in code quotes. */
    static List<String[]> in(String text) {
        return NAMED.matcher(text).results().map(found -> new String[] { found.group(1), found.group(2) }).toList();
    }

    /** Classes only. */
    static Collection<String> classesIn(String text) {
        return in(text).stream().map(test -> test[0]).toList();
    }
}
