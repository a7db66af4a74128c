package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Patterns over a stream, against the JDK's own. */
class LogMonitorTest {
    private static LogMonitor monitor(String... patterns) {
        return new LogMonitor(new PatternSet(List.of(patterns)));
    }

    private static void feed(LogMonitor monitor, String text) {
        MemorySegment frame = AppFrames.udp(text);
        assertThat(monitor.process(frame, 0, AppFrames.length(frame))).isZero();
    }

    @Test
    void matchesAreFoundWithinAndAcrossPackets() {
        LogMonitor monitor = monitor("error [0-9]+;", "fail(ed|ure)", "\\d\\d:\\d\\d");
        feed(monitor, "12:34 started\nerror 4");
        feed(monitor, "711;\nlogin failed, another fai");
        feed(monitor, "lure 23:59");
        assertThat(monitor.matches(0)).isEqualTo(1);
        assertThat(monitor.matches(1)).isEqualTo(2);
        assertThat(monitor.matches(2)).isEqualTo(2);
        assertThat(monitor.bytes()).isEqualTo(21 + 30 + 10);
    }

    @Test
    void randomTextAgreesWithTheLibrary() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        List<String> patterns = List.of("ab+c", "(a|bc)d?a", "[^ab]b.a", "c(ab)*c", "d\\wd");
        for (int round = 0; round < 50; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 300; i++) {
                text.append("abcd".charAt(random.nextInt(4)));
            }
            LogMonitor monitor = monitor(patterns.toArray(String[]::new));
            feed(monitor, text.toString());
            for (int p = 0; p < patterns.size(); p++) {
                assertThat(monitor.matches(p)).as("seed %d, %s in %s", seed, patterns.get(p), text)
                        .isEqualTo(ends(patterns.get(p), text.toString()));
            }
        }
    }

    /** Positions at which some match ends. */
    private static long ends(String pattern, String text) {
        Pattern whole = Pattern.compile("(?s).*(" + pattern + ")");
        long ends = 0;
        for (int i = 1; i <= text.length(); i++) {
            ends += whole.matcher(text.substring(Math.max(0, i - 60), i)).matches() ? 1 : 0;
        }
        return ends;
    }

    @Test
    void manyStatesAreThrownAwayAndMadeAgain() {
        PatternSet set = new PatternSet(List.of("a[ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab][ab]c"));
        LogMonitor monitor = new LogMonitor(set);
        SplittableRandom random = new SplittableRandom(5);
        StringBuilder all = new StringBuilder();
        for (int packet = 0; packet < 40; packet++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 1000; i++) {
                text.append("aabbabababac".charAt(random.nextInt(12)));
            }
            all.append(text);
            feed(monitor, text.toString());
        }
        long expected = Pattern.compile("(?=a[ab]{13}c)").matcher(all).results().count();
        assertThat(monitor.matches(0)).isEqualTo(expected).isPositive();
        assertThat(set.generation()).isPositive();
    }

    @Test
    void badPatternsAreRefusedWithTheirPlace() {
        for (String bad : List.of("a(b", "[a", "*a", "a)b", "\\", "[b-a]", "a|*", "\u20ac")) {
            assertThatThrownBy(() -> new PatternSet(List.of(bad))).as(bad)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pattern \"");
        }
        assertThatThrownBy(() -> new PatternSet(List.of("x", "a*"))).hasMessageContaining("empty text");
        assertThatThrownBy(() -> new PatternSet(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PatternSet(Collections.nCopies(65, "a")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PatternSet(List.of("(".repeat(1000)))).hasMessageContaining("nested");
        assertThatThrownBy(() -> new PatternSet(List.of("a".repeat(30_000)))).hasMessageContaining("states");
    }

    @Test
    void shortAndForeignPacketsAreNoText() {
        LogMonitor monitor = monitor("a");
        MemorySegment tcp = AppFrames.tcp(1, 2, 3);
        assertThat(monitor.process(tcp, 0, 54)).isZero();
        assertThat(monitor.process(AppFrames.udp("aaa"), 0, 20)).isZero();
        assertThat(monitor.bytes()).isZero();
    }
}
