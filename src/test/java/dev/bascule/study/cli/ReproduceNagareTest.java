package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReproduceNagareTest {
    @TempDir
    private Path folder;

    @Test
    void aChainsCountsStandBesideTheProposalsInTextJsonAndPictures() throws Exception {
        Path page = folder.resolve("nagare.html");
        Cli json = Cli.call("reproduce", "nagare", "--quick", "--json", "--plots", folder.resolve("plots").toString(),
                "--report", page.toString());
        assertThat(json.status()).as(json.err()).isZero();
        assertThat(json.out()).contains("\"reproduce\": \"nagare\"", "\"simulated\": true",
                "\"what\": \"CPU in the middle: transfers\"", "\"source\": \"thesis proposal, table 2\"");
        try (Stream<Path> files = Files.list(folder.resolve("plots"))) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder("nagare-chains.svg",
                    "nagare-trees.svg", "nagare-sizes.svg");
        }
        assertThat(Files.readString(page)).contains("<svg", "CPU in the middle: transfers", "thesis proposal, table 2",
                "Simulated");
        Cli text = Cli.call("reproduce", "nagare", "--quick");
        assertThat(text.status()).as(text.err()).isZero();
        assertThat(text.out()).startsWith("Agrees: 4 of 4 ").contains("\nSIMULATED")
                .containsPattern("streams: transfers +transfers +3");
        assertThat(Cli.call("reproduce", "nagare", "--quick", "--json").out()).as("the same each time")
                .isEqualTo(json.out());
    }
}
