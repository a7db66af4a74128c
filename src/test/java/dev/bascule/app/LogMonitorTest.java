package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
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
    void followingTellsALookUpForEachByteAndFindsNothing() {
        LogMonitor monitor = monitor("ab+c", "fail(ed|ure)");
        MemorySegment frame = AppFrames.udp("abbb");
        List<Long> entries = new ArrayList<>();
        monitor.follow(frame, 0, AppFrames.length(frame), entries::add);
        assertThat(entries).hasSize(4).allMatch(entry -> entry % 4 == 0);
        assertThat(entries.stream().map(entry -> entry / 4 % 256)).containsExactly(97L, 98L, 98L, 98L);
        assertThat(entries.getFirst() / 1024).as("the state before the first byte").isZero();
        assertThat(entries.get(2) / 1024).as("b again leads to where b led").isEqualTo(entries.get(3) / 1024);
        feed(monitor, "abbb");
        feed(monitor, "c");
        assertThat(monitor.matches(0)).isEqualTo(1);
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

    /** Positions, before the last one, at which some match ends; by an engine that knows nothing of ours. */
    private static long ends(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE | Pattern.UNIX_LINES).matcher(text)
                .useTransparentBounds(true).useAnchoringBounds(false);
        long ends = 0;
        for (int end = 1; end <= text.length(); end++) {
            boolean found = false;
            for (int start = end - 1; start >= 0 && !found; start--) {
                found = matcher.region(start, end).matches();
            }
            ends += found ? 1 : 0;
        }
        return ends;
    }

    /** Each is written as the other engine reads it; what is read differently stands in a column of its own. */
    @Test
    void allTheSyntaxAgreesWithTheLibrary() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        String[][] patterns = { { "\\S+ from \\S+( via \\S+)?" }, { "^b\\w+" }, { "a$" }, { "\\bab?\\b" }, { "b\\B" },
                { "(?:ab|c){2}" }, { "a{2,}" }, { "[ab]{1,3}c" }, { "a.*?c" }, { "(?P<user>a+)b", "(a+)b" },
                { "\\D\\d\\W" },
                { "[^\\s1]{3}$" }, { "[[:alpha:]_]+\\x31", "[\\p{Alpha}_]+\\x31" },
                { "[^[:space:][:digit:]]1", "[^\\s\\d]1" }, { "(?:^|1)a(?:\\b|b$)" }, { "(a|^b)c*\\s+^" },
                { "c{0,2}?1" },
                { "\\[1\\]\\.?" }, { "(?:a{1,2}b){2}" }, { "^$\\n" } };
        String[] words = { "a", "b", "c", "1", " ", "\n", "ab", "[1]", " from ", ".", "\n\n" };
        for (int round = 0; round < 40; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 100; i++) {
                text.append(words[random.nextInt(words.length)]);
            }
            text.append("..\n."); // what is told with the byte behind it is told
            LogMonitor monitor = monitor(Arrays.stream(patterns).map(p -> p[0]).toArray(String[]::new));
            int cut = random.nextInt(text.length());
            feed(monitor, text.substring(0, cut));
            feed(monitor, text.substring(cut));
            for (int p = 0; p < patterns.length; p++) {
                String theirs = patterns[p][patterns[p].length - 1];
                assertThat(monitor.matches(p)).as("seed %d, %s in %s", seed, theirs, text)
                        .isEqualTo(ends(theirs, text.toString()));
            }
        }
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
    void eachFlowIsAStreamOfItsOwn() {
        LogMonitor monitor = monitor("abc", "^b");
        byte[][] parts = { "a".getBytes(), "b".getBytes(), "c".getBytes() };
        for (byte[] part : parts) {
            for (int flow = 0; flow < 50; flow++) {
                MemorySegment frame = AppFrames.udp(flow, 4000, 514, part);
                monitor.process(frame, 0, AppFrames.length(frame));
            }
        }
        MemorySegment stranger = AppFrames.udp(99, 4000, 514, "bc".getBytes());
        monitor.process(stranger, 0, AppFrames.length(stranger));
        assertThat(monitor.matches(0)).isEqualTo(50);
        assertThat(monitor.matches(1)).as("the first byte of a stream").isEqualTo(1);
        assertThat(monitor.streams()).isEqualTo(51);
        assertThat(monitor.forgotten()).isZero();
    }

    @Test
    void whatHasNoPlaceForItsStreamIsCounted() {
        LogMonitor monitor = new LogMonitor(new PatternSet(List.of("ab")), 8);
        for (int flow = 0; flow < 20; flow++) {
            MemorySegment frame = AppFrames.udp(flow, 1, 514, "ab".getBytes());
            monitor.process(frame, 0, AppFrames.length(frame));
        }
        assertThat(monitor.matches()).isEqualTo(20);
        assertThat(monitor.forgotten()).isEqualTo(12);
    }

    /** A frame is at least 60 bytes; what follows the datagram is not of it. */
    @Test
    void paddingIsNotSearched() {
        LogMonitor monitor = monitor("a", "\\x00");
        MemorySegment frame = AppFrames.udp("aa");
        frame.asSlice(AppFrames.length(frame), 16).fill((byte) 'a');
        monitor.process(frame, 0, 60);
        assertThat(monitor.matches(0)).isEqualTo(2);
        Headers.putU16(frame, Headers.UDP_LENGTH, 9);
        monitor.process(frame, 0, 60);
        assertThat(monitor.matches(0)).as("the datagram is shorter than the packet").isEqualTo(3);
        MemorySegment tcp = AppFrames.tcp(1, 2, 3);
        monitor.process(tcp, 0, 60);
        assertThat(monitor.matches(1)).isZero();
    }

    @Test
    void whatIsNotSupportedIsRefusedAndALooseSetTakesConditionsForMet() {
        for (String bad : List.of("a(?!b)c", "a(?=b)", "(?<=a)b", "(?(x)a|b)", "(?i)a", "(?>a)b", "a++", "a*+", "a**",
                "\\1", "\\pL", "\\Qa", "\\xg1", "a{", "a{2,1}", "a{1,x}", "a{0}", "a{1000}", "[[:foo:]]", "(?P=a)",
                "{2}")) {
            assertThatThrownBy(() -> new PatternSet(List.of(bad))).as(bad)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pattern \"");
        }
        for (String empty : List.of("\\b", "^", "$", "a*\\b", "(?:a|^)")) {
            assertThatThrownBy(() -> new PatternSet(List.of(empty))).as(empty).hasMessageContaining("empty text");
        }
        LogMonitor loose = new LogMonitor(new PatternSet(List.of("x(?!y).", "z(?(a)b|c)"), true));
        feed(loose, "xy xz zb zc za");
        assertThat(loose.matches(0)).isEqualTo(2);
        assertThat(loose.matches(1)).isEqualTo(2);
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
