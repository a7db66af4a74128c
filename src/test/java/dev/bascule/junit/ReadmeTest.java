package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The few lines of Java on the first page compile, and do what it says. */
class ReadmeTest {
    private static final String PAGE = "README.md";
    private static final String POLICY_TEST = """
            import dev.bascule.host.AgentHarness;
            import org.junit.jupiter.api.*;

            class PolicyTest {
                @Test
                void inOrder() {
                    AgentHarness h = AgentHarness.of(new FifoAgent(), 1, 8);
                    int first = h.newTask();
                    int second = h.newTask();
                    h.settle();
                    Assertions.assertEquals(first, h.running(0));
                    h.block(0);
                    h.settle();
                    Assertions.assertEquals(second, h.running(0));
                }
            }
            """;
    private static final String ECHO_TEST = """
            import dev.bascule.app.Probe;
            import dev.bascule.junit.Loopback;
            import dev.bascule.nic.*;
            import java.lang.foreign.*;
            import org.junit.jupiter.api.Assertions;

            class EchoTest {
                @Loopback(device = "corundum", wire = Loopback.Wire.CROSS)
                void backToTheSender(Nic sender, Nic echo) {
                    PacketBatch batch = new PacketBatch(4);
                    Assertions.assertEquals(3, sender.txQueue(0).allocate(batch, 3));
                    for (int i = 0; i < 3; i++) {
                        MemorySegment.copy(Probe.frame(60), 0, batch.memory().segment(), ValueLayout.JAVA_BYTE,
                                batch.offset(i), 60);
                        batch.setLength(i, 60);
                    }
                    sender.txQueue(0).write(batch);
                    sender.txQueue(0).commit();
                    int came = 0;
                    while (came < 3 && echo.rxQueue(0).await(20_000_000_000L)) {
                        came += Echo.burst(echo, batch);
                    }
                    int back = 0;
                    while (back < 3 && sender.rxQueue(0).await(20_000_000_000L)) {
                        back += sender.rxQueue(0).poll(batch);
                        batch.release();
                    }
                    Assertions.assertEquals(3, back);
                }
            }
            """;

    @TempDir
    private Path folder = Path.of("");

    private Inner run(Map<String, String> sources, String test) throws Exception {
        try (URLClassLoader loader = PageSources.compile(sources, folder)) {
            return Inner.run(loader.loadClass(test));
        }
    }

    @Test
    void theFiveLinesOfPolicyDecideInOrder() throws Exception {
        String imports = "import dev.bascule.agent.*;\nimport dev.bascule.policy.*;\n";
        Inner run = run(Map.of("FifoAgent", imports + PageSources.fence(PAGE, "java", "class FifoAgent"), "PolicyTest",
                POLICY_TEST), "PolicyTest");
        assertThat(run.failures()).isEmpty();
        assertThat(run.passed()).containsExactly("inOrder()");
    }

    @Test
    void theFiveLinesOfPacketsSendBackWhatComes() throws Exception {
        String echo = "import dev.bascule.nic.*;\nclass Echo {\n" + PageSources.fence(PAGE, "java", "int burst(")
                + "}\n";
        Inner run = run(Map.of("Echo", echo, "EchoTest", ECHO_TEST), "EchoTest");
        assertThat(run.failures()).isEmpty();
        assertThat(run.passed()).containsExactly("corundum");
    }
}
