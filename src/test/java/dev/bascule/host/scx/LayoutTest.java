package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.MessageType;
import dev.bascule.agent.Outcome;
import dev.bascule.ffi.ConformanceProbe;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kernel's side and this program agree on, against what the C compiler makes of native/scx/layout.h. */
class LayoutTest {
    private static final Map<String, String> NAMES = Map.of("bsc_config", "CONFIG_BYTES", "bsc_call", "CALL_BYTES",
            "bsc_rule", "RULE_BYTES",
            "BSC_CPUS", "MOST_CPUS", "BSC_MACHINE_CPUS", "MACHINE_CPUS", "BSC_NO_CPU", "NO_CPU",
            "BSC_GROUPS", "MOST_GROUPS",
            "BSC_TIMEOUT_MILLIS", "TIMEOUT_MILLIS");
    private static final Set<String> ELSEWHERE = Set.of("PAGE_BYTES", "WINDOW_COUNTS", "REASON_BYTES", "MESSAGE_BYTES",
            "OPS_FLAGS", "OPS_TIMEOUT_MS", "OPS_NAME", "OPS_NAME_BYTES", "SWITCH_PARTIAL");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void offsetsAndNumbersAreThoseOfTheHeader() throws Exception {
        Map<String, Long> java = constants();
        SoftAssertions softly = new SoftAssertions();
        Set<String> probed = new TreeSet<>(ELSEWHERE);
        for (String[] line : ConformanceProbe.run("scx.c", folder)) {
            String what = line[line.length - 2];
            long value = Long.parseLong(line[line.length - 1]);
            if (line[0].equals("constant") && !NAMES.containsKey(what)) {
                softly.assertThat(number(what)).as(what).isEqualTo(value);
                continue;
            }
            String name = NAMES.getOrDefault(what, what.toUpperCase(Locale.ROOT));
            if (line[0].equals("field") && List.of("bsc_call", "bsc_rule", "bsc_agents").contains(line[1])) {
                name = line[1].substring(4).toUpperCase(Locale.ROOT) + "_" + name;
            }
            softly.assertThat(java).as(String.join(" ", line)).containsEntry(name, value);
            probed.add(name);
        }
        softly.assertAll();
        assertThat(probed).isEqualTo(java.keySet());
    }

    /** A message's or an outcome's number in this program. */
    private static long number(String name) {
        if (!name.startsWith("MSG_")) {
            return Outcome.valueOf(name).ordinal();
        }
        String rest = name.substring(4);
        return Arrays.stream(MessageType.values())
                .filter(type -> List.of("TASK_" + rest, "TASK_" + rest + "_CHANGED", "CPU_" + rest, rest)
                        .contains(type.name()))
                .mapToLong(MessageType::code).findFirst().orElseThrow(() -> new AssertionError("no message " + name));
    }

    private static Map<String, Long> constants() throws IllegalAccessException {
        Map<String, Long> all = new HashMap<>();
        for (Field field : Layout.class.getDeclaredFields()) {
            if (!field.isSynthetic()) {
                all.put(field.getName(), ((Number) field.get(null)).longValue());
            }
        }
        return all;
    }
}
