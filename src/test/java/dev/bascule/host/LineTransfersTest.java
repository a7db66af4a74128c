package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.bascule.agent.region.Protocol;
import dev.bascule.swap.SwapMode;
import dev.bascule.swap.SwapOptions;
import dev.bascule.swap.SwapProtocol;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lines that a whole decision moves, over each transport. A change that moves one line more is slower by half a round trip of
 * a line, whatever the machine, and is red here.
 */
class LineTransfersTest {
    static Protocol protocol(String name) {
        boolean push = name.endsWith("-push");
        String transport = name.replace("-push", "");
        return transport.equals("wave")
                ? new WaveProtocol(WaveOptions.ALL.withPush(push))
                : new SwapProtocol(SwapOptions.DEFAULT.withMode(SwapMode.of(transport)).withPush(push));
    }

    @ParameterizedTest
    @CsvSource({ "wave, 4098, 4098", "wave-push, 4098, 4098", "swap0, 8194, 8194", "swap1, 8194, 8194",
            "swap-end, 8194, 8194", "swap0-push, 8194, 8194", "swap1-push, 8194, 8194", "swap-end-push, 8194, 8194",
            "one-word-push, 11266, 11266" })
    void a1024DecisionsMoveSoManyLines(String transport, long oneByOne, long byEights) {
        LineTransfers.assertMoves(protocol(transport), 1, oneByOne);
        LineTransfers.assertMoves(protocol(transport), 8, byEights);
    }

    /** Columns of the page's table: what, why, Wave, swap. */
    @Test
    void thePageSaysWhatIsCounted() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("src/site/markdown/performance.md")).stream()
                .filter(line -> line.startsWith("| ")).toList();
        int first = 1 + rows.indexOf("| moves a decision | what | Wave | swap |");
        int together = rows
                .indexOf(rows.stream().filter(row -> row.startsWith("| together |")).findFirst().orElseThrow());
        List<Protocol> protocols = List.of(protocol("wave"), protocol("swap1"));
        for (int i = 0; i < protocols.size(); i++) {
            int column = 3 + i;
            double counted = LineTransfers.perDecision(protocols.get(i));
            double sum = rows.subList(first + 1, together).stream().mapToDouble(row -> figure(row, column)).sum();
            assertThat(figure(rows.get(together), column)).as(rows.get(together)).isEqualTo(counted, within(0.0005));
            assertThat(sum).as("sum of column %d", column).isEqualTo(counted, within(0.0005));
            assertThat(figure(rows.get(together + 1), column)).as(rows.get(together + 1))
                    .isEqualTo(counted / 2, within(0.05));
        }
    }

    private static double figure(String row, int column) {
        String cell = row.split("\\|", -1)[column].strip();
        return cell.equals("-") ? 0 : Double.parseDouble(cell);
    }
}
