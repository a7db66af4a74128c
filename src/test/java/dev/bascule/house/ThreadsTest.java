package dev.bascule.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/**
 * Threads that nobody hears the end of. A host's, server's, listener's or watchdog's is made by {@code ffi.OwnThread}; what
 * makes a thread in another way is here, with the reason.
 */
class ThreadsTest {
    private static final String JOB = "work whose result or exception its starter waits for";
    private static final String TASK = "runs a job, whose exception is the job's; LiveHost catches and says it";
    private static final String HOOK = "a hook of the process's end";
    private static final String MEASURED = "a part of a measurement, which fails or ends without it";

    private static final Map<String, String> ALLOWED = Map.ofEntries(
            Map.entry("ffi.OwnThread", "makes the others"),
            Map.entry("cli.Main", "ends the run when a thread has ended"),
            Map.entry("run.HeldDevice", "ends the run when the kernel wants a device back"),
            Map.entry("run.Errors", HOOK),
            Map.entry("run.Interruption", HOOK),
            Map.entry("memory.ScratchFolder", HOOK),
            Map.entry("study.compare.Testbed", HOOK),
            Map.entry("host.LiveTask", TASK),
            Map.entry("host.LiveCpu", TASK),
            Map.entry("host.LiveHost", TASK),
            Map.entry("host.ThreadAgent", "an agent, whose end by an exception is what its supervisor reports"),
            Map.entry("host.lauberhorn.LocalBody", "a served process: its end by an exception is the process's"),
            Map.entry("host.lauberhorn.ServiceProcess", "the same"),
            Map.entry("host.scx.RuledProcess", JOB),
            Map.entry("ffi.StartedProgram", JOB),
            Map.entry("app.judge.TimeParts", JOB),
            Map.entry("cli.JudgeCommand", "ends this process when its parent does"),
            Map.entry("nic.dpdk.DpdkEal", JOB),
            Map.entry("study.compare.Replacement", JOB),
            Map.entry("study.compare.PageRun", JOB),
            Map.entry("study.cli.SweepCommand", JOB),
            Map.entry("run.MainJob", JOB),
            Map.entry("cli.BoardTool", JOB),
            Map.entry("loopback.LoopbackInterrupts", "calls a driver's handlers; a pool makes a new thread"),
            Map.entry("run.EnclaveRuns", "moves CPUs at set times; a pool makes a new thread"),
            Map.entry("run.TransportRun", "faults at set times; a pool makes a new thread"),
            Map.entry("doctor.Holders", "says who is waited for"),
            Map.entry("study.cli.LiveWave", MEASURED),
            Map.entry("cli.DemoThreads", "load of a demo"),
            Map.entry("workload.WaitingService", MEASURED),
            Map.entry("study.lauberhorn.CardServer", MEASURED),
            Map.entry("study.lauberhorn.ScheduledServer", MEASURED),
            Map.entry("study.lauberhorn.SocketServer", MEASURED),
            Map.entry("workload.steering.PoolServer", MEASURED));

    private final JavaClasses classes = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));

    @Test
    void threadsAreMadeWhereTheirEndIsHeard() {
        rule().check(classes);
    }

    @Test
    void theListHasNobodyWhoMakesNone() {
        List<String> making = classes.stream().filter(one -> one.getAccessesFromSelf().stream()
                .anyMatch(ThreadsTest::makesThread)).map(ThreadsTest::outermost).distinct().toList();
        assertThat(making).containsAll(ALLOWED.keySet());
    }

    @Test
    void theRuleSeesEachWayToMakeAThread() {
        for (Class<?> offender : List.of(OfPlatform.class, ByHand.class, OfAPool.class)) {
            JavaClasses one = new ClassFileImporter().importClasses(offender);
            assertThatThrownBy(() -> rule().check(one)).as(offender.getSimpleName())
                    .isInstanceOf(AssertionError.class).hasMessageContaining("makes a thread");
        }
    }

    private static ArchRule rule() {
        return noClasses().that(DescribedPredicate.describe("have no reason to",
                (JavaClass one) -> !ALLOWED.containsKey(outermost(one)))).should().accessTargetWhere(
                        DescribedPredicate.describe("makes a thread", ThreadsTest::makesThread));
    }

    private static String outermost(JavaClass one) {
        return one.getName().replaceFirst("\\$.*", "").replaceFirst("^dev\\.bascule\\.", "");
    }

    private static boolean makesThread(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getName();
        return owner.isEquivalentTo(Thread.class)
                && List.of("ofPlatform", "ofVirtual", "startVirtualThread", "<init>").contains(name)
                || owner.isEquivalentTo(Executors.class) && name.startsWith("new");
    }

    // ---- what the rule must find; never run

    private static final class OfPlatform {
        @SuppressWarnings("unused")
        Thread make() {
            return Thread.ofPlatform().unstarted(() -> {});
        }
    }

    private static final class ByHand {
        @SuppressWarnings("unused")
        Thread make() {
            return new Thread(() -> {});
        }
    }

    private static final class OfAPool {
        @SuppressWarnings("unused")
        Object make() {
            return Executors.newCachedThreadPool();
        }
    }
}
