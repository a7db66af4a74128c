package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceModel;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the pages on platforms, on served cards in the place of real ones. What needs a kernel's VFIO, root, or a
 * board is left out, and what would take long is shortened.
 */
@Timeout(240)
class PlatformPagesTest {
    private static final Path PAGES = Path.of("src/site/markdown");
    private static final String ADDRESS = "0000:65:00.0";

    @TempDir
    private Path folder;

    /** Lines of code blocks that are commands, without their remarks. */
    private static List<String> commands(String page) throws IOException {
        List<String> found = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(PAGES.resolve(page))) {
            String text = line.strip();
            code ^= text.startsWith("```");
            String command = text.replaceFirst("^\\$ ", "").replaceFirst("\\s+#.*$", "");
            if (code && command.startsWith("scripts/bascule ") && !command.endsWith("&")) {
                found.add(command.substring("scripts/bascule ".length()));
            }
        }
        return found;
    }

    private void run(String page, DeviceModel card, Path config, int least) throws IOException {
        int run = 0;
        try (VfioUserServer server = VfioUserServer.serve(card, folder.resolve("card"), event -> {})) {
            for (String command : commands(page)) {
                if (command.matches("(devices|probe|bind|doctor).*")) {
                    continue; // of this machine's own devices
                }
                String here = command.replace(ADDRESS, server.path().toString()).replace("/tmp/enso",
                        server.path().toString()).replace("my-enso", config.toString())
                        .replace("out.pcapng", folder.resolve("out.pcapng").toString())
                        .replace("--count 1000000", "--count 1000 --rate 20000").replace("1m", "200ms");
                if (here.startsWith("capture")) {
                    here += " --duration 200ms"; // nobody sends
                }
                Cli result = Cli.call(here.split(" +"));
                assertThat(result.status()).as("%s: %s%s", command, result.err(), result.out()).isZero();
                run++;
            }
        }
        assertThat(run).as("commands of %s that were run", page).isGreaterThanOrEqualTo(least);
    }

    @Test
    void thoseOfCorundumRun() throws Exception {
        run("corundum.md", new CorundumModel(CorundumConfig.builder().build(), List.of(Cables.loopback(), WireEnd.OPEN),
                true), folder, 3);
    }

    @Test
    void thoseOfEnsoRun() throws Exception {
        Path config = Files.writeString(folder.resolve("mine.yaml"), """
                kind: pci
                device: {ids: "1172:0000", driver: enso, seen: nowhere}
                """);
        run("enso.md", new EnsoCard(new CountedWire(Cables.loopback())), config, 4);
    }
}
