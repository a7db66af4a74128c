package dev.bascule.host.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.ConformanceProbe;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page for NICs of others: its C, as it stands there, hands requests to the thread that serves in production. */
@Timeout(120)
class OwnNicPageTest {
    private static final Path PAGE = Path.of("src/site/markdown/write-your-own-nic.md");
    private static final ProcessLayout LAYOUT = new ProcessLayout(new LineLayout(64, 4096, 16_384), 2);
    private static final int PROCESS = 7;
    private static final int REQUESTS = 1000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (\\d+) \\| `(\\w+)` \\|");

    @TempDir
    private Path folder = Path.of("");

    private static String page() throws IOException {
        return Files.readString(PAGE);
    }

    private static String program() throws IOException {
        Matcher fence = Pattern.compile("```c file=nic[.]c\n(.*?)```", Pattern.DOTALL).matcher(page());
        assertThat(fence.find()).isTrue();
        return fence.group(1);
    }

    /** Three lives of the endpoint, and of the core's grant; the thread polls, and yields when it is told to. */
    @Test
    void aNicInCHandsRequestsToAThreadOfTheProduct() throws Exception {
        Path source = Files.writeString(folder.resolve("nic.c"), program());
        try (SharedMemory memory = SharedMemory.create(folder.resolve("memory"), LAYOUT.sizeBytes())) {
            RpcHandler[] sums = { call -> call.setLong(0, call.longAt(0) + call.longAt(1)) };
            Sleeper own = new Sleeper.Local();
            UserThread thread = new UserThread(0, PROCESS, sums, new DirectWindow(memory.segment()), LAYOUT,
                    IdleStrategy.spinThenYield(64), own, core -> new Sleeper.Local(), PATIENCE_NANOS);
            Thread running = Thread.ofPlatform().name("thread 0 of process 7").start(thread);
            try {
                List<String[]> said = ConformanceProbe.run(source, folder.resolve("memory").toString(),
                        Integer.toString(REQUESTS));
                assertThat(said).singleElement().isEqualTo(
                        (3 * REQUESTS + " of " + 3 * REQUESTS + " replies are right").split(" "));
                assertThat(thread.served()).isEqualTo(3 * REQUESTS);
                assertThat(thread.failed()).isZero();
            } finally {
                thread.stop();
                running.join();
            }
        }
    }

    @Test
    void theTableOfKindsIsThatOfTheProduct() throws Exception {
        List<String> ofPage = new ArrayList<>();
        for (Matcher row = ROW.matcher(page()); row.find();) {
            ofPage.add(row.group(2) + " " + row.group(1));
        }
        List<String> ofProduct = new ArrayList<>();
        for (Field field : LineHead.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && !field.getName().startsWith("LAST_")) {
                ofProduct.add(field.getName() + " " + field.getInt(null));
            }
        }
        assertThat(ofPage).isNotEmpty().isEqualTo(ofProduct);
    }

    /** Offsets that the page names, for the sizes of any layout. */
    @Test
    void theOffsetsOfThePageAreThoseOfTheProduct() {
        LineLayout lines = LAYOUT.lines();
        long overflow = lines.overflowBytes();
        assertThat(new long[] { lines.loadWord(), lines.lifeWord(), lines.control(0), lines.control(1),
                lines.overflowIn(), lines.overflowOut(), lines.dmaIn(), lines.dmaOut() })
                .containsExactly(0, 64, 128, 192, 256, 256 + overflow, 256 + 2 * overflow,
                        256 + 2 * overflow + lines.dmaBytes());
        long size = lines.sizeBytes();
        long second = 4096 + 256 + 3 * size;
        assertThat(new long[] { LAYOUT.gate(0), LAYOUT.requests(0), LAYOUT.gate(1), LAYOUT.requests(1),
                LAYOUT.calls(1), LAYOUT.answers(1) })
                .containsExactly(4096, 4352, second, second + 256, second + 256 + size, second + 256 + 2 * size);
    }
}
