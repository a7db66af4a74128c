package dev.bascule.model.corundum.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorFormatException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The comparison sees what it should see: a changed, missing, additional or exchanged line is a difference. */
class MutatedVectorTest {
    private static final Pattern HEX_VALUE = Pattern.compile("\"(?:hex|expect|addr)\":\"(?:0x)?([0-9a-fx]+)\"");
    private static final int MUTATIONS = 12;

    private static ReplayResult replay(List<String> lines) throws IOException {
        return CorundumReplay.run("mutated", Vectors.of(lines));
    }

    private static boolean isObservation(String line) {
        return line.contains("\"op\":\"expect_") && !line.contains("expect_idle");
    }

    @ParameterizedTest
    @MethodSource("dev.bascule.model.corundum.replay.Vectors#names")
    void anyChangedDigitOfAnObservationIsADifferenceInItsLineOrItsRun(String name) throws IOException {
        List<String> lines = Vectors.lines(name);
        long seed = name.hashCode();
        Random random = new Random(seed);
        for (int i = 0; i < MUTATIONS; i++) {
            List<String> mutated = new ArrayList<>(lines);
            int at = changeOneDigit(mutated, random);
            ReplayResult result = replay(mutated);
            assertThat(result.passed()).as("%s, seed %d, line %d: %s", name, seed, at + 1, mutated.get(at)).isFalse();
            int line = Integer.parseInt(result.differences().get(0).replaceAll("line (\\d+):.*", "$1"));
            assertThat(line).as("reported line of %s", result.differences()).isBetween(at + 1, endOfRun(lines, at));
        }
    }

    private static int endOfRun(List<String> lines, int from) {
        int at = from;
        while (!lines.get(at).contains("expect_idle") && !lines.get(at).contains("read32")) {
            at++;
        }
        return at + 1;
    }

    /** Changes one compared digit of an observation, other than an address that only chooses a register. */
    private static int changeOneDigit(List<String> lines, Random random) {
        while (true) {
            int at = random.nextInt(lines.size());
            String line = lines.get(at);
            boolean read = line.contains("\"op\":\"read32\"");
            if (!read && !isObservation(line)) {
                continue;
            }
            Matcher matcher = HEX_VALUE.matcher(line);
            List<int[]> spans = new ArrayList<>();
            while (matcher.find()) {
                if (!read || matcher.group().startsWith("\"expect\"")) {
                    spans.add(new int[] { matcher.start(1), matcher.end(1) });
                }
            }
            if (spans.isEmpty()) {
                continue;
            }
            int[] span = spans.get(random.nextInt(spans.size()));
            int digit = span[0] + random.nextInt(span[1] - span[0]);
            char c = line.charAt(digit);
            if (c != 'x') {
                char other = Character.forDigit(Character.digit(c, 16) ^ 1 + random.nextInt(15), 16);
                lines.set(at, line.substring(0, digit) + other + line.substring(digit + 1));
                return at;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "arm", "loopback", "mixed", "rx-scatter", "tx-fragments", "round-robin", "overflow" })
    void aMissingObservationIsADifference(String name) throws IOException {
        List<String> lines = Vectors.lines(name);
        Random random = new Random(name.hashCode());
        for (int i = 0; i < MUTATIONS; i++) {
            List<String> mutated = new ArrayList<>(lines);
            int at = random.nextInt(lines.size());
            while (!isObservation(lines.get(at))) {
                at = random.nextInt(lines.size());
            }
            mutated.remove(at);
            assertThat(replay(mutated).passed()).as("without line %d of %s", at + 1, name).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "arm", "loopback", "mixed", "rx-scatter", "tx-fragments", "round-robin", "overflow" })
    void anObservationTwiceIsADifference(String name) throws IOException {
        List<String> lines = Vectors.lines(name);
        Random random = new Random(name.hashCode());
        for (int i = 0; i < MUTATIONS; i++) {
            List<String> mutated = new ArrayList<>(lines);
            int at = random.nextInt(lines.size());
            while (!isObservation(lines.get(at))) {
                at = random.nextInt(lines.size());
            }
            mutated.add(at, lines.get(at));
            assertThat(replay(mutated).passed()).as("line %d of %s twice", at + 1, name).isFalse();
        }
    }

    @Test
    void framesOfOnePortInAnotherOrderAreADifference() throws IOException {
        List<String> lines = new ArrayList<>(Vectors.lines("round-robin"));
        List<Integer> frames = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains("expect_wire_packet")) {
                frames.add(i);
            }
        }
        String first = lines.get(frames.get(6));
        lines.set(frames.get(6), lines.get(frames.get(7)));
        lines.set(frames.get(7), first);
        assertThat(replay(lines).passed()).isFalse();
    }

    @Test
    void aCompletionBeforeTheDataOfItsFrameIsADifference() throws IOException {
        List<String> lines = new ArrayList<>(Vectors.lines("rx-scatter"));
        int data = 0;
        while (!lines.get(data).contains("\"rx_data\"") || !lines.get(data + 1).contains("\"completion\"")) {
            data++;
        }
        String completion = lines.remove(data + 1);
        lines.add(data, completion);
        ReplayResult result = replay(lines);
        assertThat(result.differences().get(0)).contains("line " + (data + 2)).contains("out of order");
    }

    @Test
    void readsOfDifferentQueuesMayInterleaveInAnyWay() throws IOException {
        List<String> lines = new ArrayList<>(Vectors.lines("arm"));
        int at = 0;
        while (!(lines.get(at).contains("\"tx_desc\"") && lines.get(at + 1).contains("\"rx_desc\""))) {
            at++;
        }
        String first = lines.remove(at);
        lines.add(at + 1, first);
        assertThat(replay(lines).differences()).isEmpty();
    }

    @Test
    void descriptorReadsInAnotherRotationThanTheFramesAreADifference() throws IOException {
        List<String> lines = new ArrayList<>(Vectors.lines("round-robin"));
        int enable = lines.indexOf("{\"op\":\"write32\",\"addr\":\"0x00083028\",\"value\":\"0x00000001\"}");
        String first = lines.remove(enable + 2);
        assertThat(first).contains("tx_desc").contains("\"queue\":0");
        lines.add(enable + 6, first);
        // the frames still come in the old order: queue 0 first
        assertThat(replay(lines).passed()).isFalse();
    }

    @Test
    void aFileThatEndsInMidRunIsCompared() throws IOException {
        List<String> lines = Vectors.lines("arm");
        int idle = 0;
        while (!lines.get(idle).contains("expect_idle") || !isObservation(lines.get(idle - 1))) {
            idle++;
        }
        assertThat(replay(lines.subList(0, idle)).passed()).isTrue();
        assertThat(replay(lines.subList(0, idle - 1)).passed()).isFalse();
    }

    @Test
    void anotherLayoutThanTheModelsIsADifferenceOfTheFirstLine() throws IOException {
        for (String field : List.of("eq_offset", "txq_offset", "interface_stride", "stats_offset", "queue_map_block")) {
            List<String> lines = new ArrayList<>(Vectors.lines("link"));
            lines.set(0, lines.get(0).replaceFirst("(\"" + field + "\":\"0x0.{3})0", "$18"));
            assertThat(replay(lines).differences()).as(field).hasSize(1);
            assertThat(replay(lines).differences().get(0)).startsWith("line 1: " + field);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "{}", "[1]", "{\"op\":\"config\"}", "{\"op\":\"config\",\"device\":\"toaster\"}",
            "{\"op\":\"config\",\"device\":\"corundum mqnic\",\"profile\":\"May-24\"}", "not json" })
    void aForeignFileIsRefusedWithItsLine(String text) {
        assertThatThrownBy(() -> replay(List.of(text))).isInstanceOf(VectorFormatException.class)
                .hasMessageContaining("line 1");
    }

    @ParameterizedTest
    @ValueSource(strings = { "{\"op\":\"launch\"}", "{\"op\":\"write32\",\"addr\":\"0x0\"}",
            "{\"op\":\"write32\",\"addr\":\"zero\",\"value\":\"0x0\"}",
            "{\"op\":\"mem_write\",\"addr\":\"0x0\",\"hex\":\"0\"}",
            "{\"op\":\"mem_write\",\"addr\":\"0x0\",\"hex\":\"0x\"}",
            "{\"op\":\"rx_packet\",\"port\":2,\"hex\":\"00\"}",
            "{\"op\":\"rx_packet\",\"port\":-1,\"hex\":\"00\"}",
            "{\"op\":\"read32\",\"addr\":\"0x0\",\"expect\":\"0x0\"}",
            "{\"op\":\"expect_dma_read\",\"kind\":\"ex_desc\",\"addr\":\"0x0\"}",
            "{\"op\":\"expect_dma_write\",\"kind\":\"event\",\"addr\":\"0x0\",\"hex\":\"00\"}",
            "{\"op\":\"expect_irq\",\"vector\":true}" })
    void aMalformedLineIsRefusedWithItsNumber(String line) throws IOException {
        List<String> lines = List.of(Vectors.lines("link").get(0), line);
        assertThatThrownBy(() -> replay(lines)).isInstanceOf(VectorFormatException.class)
                .hasMessageContaining("line 2");
    }
}
