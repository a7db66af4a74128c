package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassRuleTest {
    /** As the kernel's side compares: two words under their masks. */
    private static boolean fits(ClassRule rule, String thread) {
        ByteBuffer name = ByteBuffer.wrap(Arrays.copyOf(thread.getBytes(StandardCharsets.UTF_8), 16))
                .order(ByteOrder.nativeOrder());
        return (name.getLong(0) & rule.maskWord(0)) == rule.textWord(0)
                && (name.getLong(8) & rule.maskWord(1)) == rule.textWord(1);
    }

    @ParameterizedTest
    @CsvSource({ "get-*, get-1, true", "get-*, get-, true", "get-*, geT-1, false", "get-*, ge, false",
            "worker, worker, true", "worker, worker1, false", "worker, worke, false", "w?rker, wArker, true",
            "w?rker, wrker, false", "*, anything at all, true", "fifteen-bytes-x, fifteen-bytes-x, true",
            "fifteen-bytes-x, fifteen-bytes-y, false", "io-?, io-7, true", "io-?, io-77, false" })
    void aNameFitsAsWritten(String pattern, String thread, boolean expected) {
        assertThat(fits(ClassRule.parse(List.of("a=" + pattern)).getFirst(), thread)).isEqualTo(expected);
    }

    @Test
    void classesAreNumberedInTheOrderOfTheirNamesUnlessTheySay() {
        List<ClassRule> rules = ClassRule
                .parse(List.of("get=get-*", "range=range-*", "get=point-*", "batch:255=nice:5..19"));
        assertThat(rules).extracting(ClassRule::number).containsExactly(0, 1, 0, 255);
        assertThat(rules.getLast().niceFrom()).isEqualTo(5);
        assertThat(rules.getLast().niceTo()).isEqualTo(19);
        assertThat(ClassRule.parse(List.of("one=nice:-5")).getFirst().niceTo()).isEqualTo(-5);
    }

    @Test
    void aGroupIsKnownByTheNumberOfItsFolder(@TempDir Path group) throws Exception {
        Files.createFile(group.resolve("cgroup.procs"));
        ClassRule rule = ClassRule.parse(List.of("batch=" + group)).getFirst();
        assertThat(rule.kind()).isEqualTo(ClassRule.Kind.GROUP);
        assertThat(rule.group()).isEqualTo(Files.getAttribute(group, "unix:ino"));
    }

    @Test
    void aFolderThatIsNoGroupIsRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> ClassRule.parse(List.of("batch=" + folder)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("is no cgroup");
    }

    @ParameterizedTest
    @ValueSource(strings = { "get", "=x", "a:256=x", "a=", "a=longer-than-15-bytes", "a=x*y", "a=nice:20",
            "a=nice:5..1" })
    void whatIsNoRuleIsRefused(String text) {
        assertThatThrownBy(() -> ClassRule.parse(List.of(text))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreThanSixteenAreRefused() {
        assertThatThrownBy(() -> ClassRule.parse(Collections.nCopies(17, "a=x")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most 16");
    }
}
