package dev.bascule.host.lauberhorn;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** No request is lost, answered twice or another's, whoever dies. */
class KillsTest {
    @TempDir
    Path directory = Path.of(".");

    private static void run(KillScenario scenario) throws Exception {
        System.out.println("kills: " + scenario.run());
    }

    @Test
    @Timeout(300)
    void everyRequestHasOneAnswerWhenProcessesAndKernelsDie() throws Exception {
        run(new KillScenario(20_000, 60, System.nanoTime(), null));
    }

    /** As many kills as {@code scripts/test --kills N} asks for, and 10,000 requests for each. */
    @Tag("kills")
    @Test
    void theSameForLong() throws Exception {
        int kills = kills();
        run(new KillScenario(10_000L * kills, kills, System.nanoTime(), null));
    }

    /** The same, and killed processes are those of the operating system, by SIGKILL. */
    @Tag("kills")
    @Test
    void theSameForLongWithProcessesOfTheOperatingSystem() throws Exception {
        int kills = kills();
        run(new KillScenario(10_000L * kills, kills, System.nanoTime(), directory));
    }

    private static int kills() {
        return Integer.getInteger("bascule.kills", 200);
    }
}
