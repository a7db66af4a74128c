package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Turns: together they play every combination once, and without one all are played. */
class ByTurnsTest {
    private static final String[] ALL = { "1", "2", "3", "4", "5", "first", "second", "third", "fourth",
            "made 0", "made 1", "made 2",
            "plain" };
    private static final List<String> PLAYED = new ArrayList<>();

    private final String outer = System.getProperty("bascule.turn", "");

    @BeforeEach
    @AfterEach
    void isAsItWas() {
        System.setProperty("bascule.turn", outer);
    }

    @Tag("process")
    static class OneProcess {
        @Test
        void played() {
            PLAYED.add("process");
        }
    }

    @Tag("lab")
    static class OneOfTheLab {
        @Test
        void played() {
            PLAYED.add("lab");
        }
    }

    @Tag("lab")
    @Tag("scx")
    static class OneUnderSchedExt {
        @Test
        void played() {
            PLAYED.add("scx");
        }
    }

    static class Sample {
        @ByTurns(of = 3)
        @ParameterizedTest
        @ValueSource(ints = { 1, 2, 3, 4, 5 })
        void number(int number) {
            PLAYED.add(Integer.toString(number));
        }

        @Test
        void plain() {
            PLAYED.add("plain");
        }

        @Test
        @ByTurns(of = 2, place = 0)
        void third() {
            PLAYED.add("third");
        }

        @Test
        @ByTurns(of = 2, place = 1)
        void fourth() {
            PLAYED.add("fourth");
        }

        @TestFactory
        List<DynamicTest> made() {
            return IntStream.range(0, 3).mapToObj(i -> DynamicTest.dynamicTest("made", () -> {
                ByTurns.Turn.await(i, 3);
                PLAYED.add("made " + i);
            })).toList();
        }

        @Nested
        @ByTurns(of = 2, place = 0)
        class First {
            @Test
            void first() {
                PLAYED.add("first");
            }
        }

        @Nested
        @ByTurns(of = 2, place = 1)
        class Second {
            @Test
            void second() {
                PLAYED.add("second");
            }
        }
    }

    private static List<String> played(String turn) {
        return played(turn, Sample.class);
    }

    private static List<String> played(String turn, Class<?> sample) {
        System.setProperty("bascule.turn", turn);
        PLAYED.clear();
        LauncherFactory.create()
                .execute(LauncherDiscoveryRequestBuilder.request().selectors(selectClass(sample)).build());
        return List.copyOf(PLAYED);
    }

    @Test
    void withoutATurnAllArePlayed() {
        assertThat(played("")).containsExactlyInAnyOrder(ALL);
    }

    @Test
    void eachTurnPlaysAShareAndAllTogetherEverythingAsOften() {
        List<String> together = new ArrayList<>();
        for (int turn = 0; turn < 6; turn++) {
            List<String> share = played(Integer.toString(turn));
            assertThat(share).as("turn %d", turn).contains("plain").hasSizeBetween(5, 6);
            together.addAll(share);
        }
        for (String one : ALL) {
            assertThat(together.stream().filter(one::equals)).as(one).hasSize(switch (one) {
                case "plain" -> 6;
                case "first", "second", "third", "fourth" -> 3;
                default -> 2;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(classes = { OneProcess.class, OneOfTheLab.class, OneUnderSchedExt.class })
    void aClassOfALongLaneIsPlayedInOneRoundOfItsShares(Class<?> sample) {
        int shares = sample == OneProcess.class ? 4 : 3;
        assertThat(played("", sample)).hasSize(1);
        for (int turn = 0; turn < 60; turn += 7) {
            int first = turn;
            assertThat(IntStream.range(0, shares)
                    .map(round -> played(Integer.toString(first + 60 * round), sample).size()).sum()).isOne();
        }
    }
}
