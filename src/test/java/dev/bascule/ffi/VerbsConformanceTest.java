package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Structures and constants of verbs against what the C compiler of this machine says of its header. */
class VerbsConformanceTest {
    @TempDir
    private Path folder;

    @Test
    void verbsAgreeWithTheCompiler() throws Exception {
        Map<String, GroupLayout> layouts = layouts();
        Map<String, Integer> constants = constants();
        SoftAssertions softly = new SoftAssertions();
        Set<String> probed = new TreeSet<>();
        for (String[] line : ConformanceProbe.run("verbs.c", folder)) {
            String what = String.join(" ", line);
            switch (line[0]) {
                case "struct" -> softly.assertThat(layouts.get(line[1]).byteSize()).as(what)
                        .isEqualTo(Long.parseLong(line[2]));
                case "field" -> softly
                        .assertThat(layouts.get(line[1]).byteOffset(path(layouts.get(line[1]), line[2])))
                        .as(what).isEqualTo(Long.parseLong(line[3]));
                default -> softly.assertThat(constants).as(what).containsEntry(line[1], Integer.parseInt(line[2]));
            }
            probed.add(line[1]);
        }
        softly.assertAll();
        assertThat(probed).as("the probe covers every structure and constant").containsAll(layouts.keySet())
                .containsAll(constants.keySet());
    }

    /** A member of a union in a union is one of the structure here, by its whole name. */
    private static PathElement[] path(GroupLayout struct, String member) {
        boolean isOne = struct.memberLayouts().stream().anyMatch(one -> one.name().orElse("").equals(member));
        return (isOne ? Stream.of(member) : Arrays.stream(member.split("\\."))).map(PathElement::groupElement)
                .toArray(PathElement[]::new);
    }

    private static Map<String, GroupLayout> layouts() throws IllegalAccessException {
        Map<String, GroupLayout> all = new TreeMap<>();
        for (Field field : VerbsLayouts.class.getDeclaredFields()) {
            if (field.get(null) instanceof GroupLayout struct) {
                all.put(struct.name().orElseThrow(), struct);
            }
        }
        assertThat(all).hasSizeGreaterThan(15);
        return all;
    }

    private static Map<String, Integer> constants() throws IllegalAccessException {
        Map<String, Integer> all = new TreeMap<>();
        for (Field field : VerbsCodes.class.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().startsWith("IBV_")) {
                all.put(field.getName(), field.getInt(null));
            }
        }
        return all;
    }
}
