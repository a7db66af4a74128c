package dev.bascule.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.AgentSupervisor;
import dev.bascule.host.MachineTopology;
import dev.bascule.host.scx.KernelOptions;
import dev.bascule.lab.Lab;
import dev.bascule.registry.PolicySpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fault of ours in the middle of a run: the program goes on as if there were no agent. */
@Tag("scx")
class KernelFaultLabTest {
    /** Ends with 7 as soon as it is in the class SCHED_OTHER, and with 8 if that takes minutes. */
    private static final String UNTIL_ITS_CLASS_IS_THE_KERNELS = """
            touch $1
            for i in $(seq 1000); do
                read -r all </proc/self/stat
                set -- $all
                [ ${41} = 0 ] && exit 7
                sleep 0.2
            done
            exit 8
            """;

    @TempDir
    private Path folder = Path.of("");

    /** The thread that tends the agent ends by an exception once the program has begun. */
    @ParameterizedTest(name = "over {0} on {1} CPUs")
    @CsvSource({ "on-host,1", "wave,2", "swap,4" })
    void theProgramEndsByItselfWithItsStatus(String transport, int cpus) throws Exception {
        Lab.require();
        Path begun = folder.resolve("begun");
        MachineTopology machine = MachineTopology.of(IntStream.range(0, cpus).boxed().toList());
        KernelOptions options = new KernelOptions(machine.cpus(), 1024, 1_000_000_000, 2_000_000_000, 4_000_000_000L,
                false, false);
        KernelAgents agents = new KernelAgents(PolicySpec.of("fifo"), transport, true);
        StringWriter said = new StringWriter();
        KernelRun run = new KernelRun(options, machine, agents, session -> faulty(agents.over(session), begun),
                List.of("sh", "-c", UNTIL_ITS_CLASS_IS_THE_KERNELS, "sh", begun.toString()),
                false, new PrintWriter(said, true));
        assertThat(run.run()).as(said.toString()).isEqualTo(7);
        assertThat(said.toString()).contains("planted", "the agent rules no more; sh (process",
                "goes on under the kernel's own scheduler");
    }

    /** An agent that looks alive until the file is there; then whoever asks has an exception. */
    private static AgentSupervisor faulty(AgentSupervisor real, Path begun) {
        return (AgentSupervisor) Proxy.newProxyInstance(AgentSupervisor.class.getClassLoader(),
                new Class<?>[] { AgentSupervisor.class }, (proxy, method, arguments) -> {
                    if (Thread.currentThread().getName().equals("kernel-host") && Files.exists(begun)) {
                        throw new IllegalStateException("planted");
                    }
                    return method.invoke(real, arguments);
                });
    }
}
