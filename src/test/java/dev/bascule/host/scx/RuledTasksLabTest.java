package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.SchedulingClass;
import dev.bascule.lab.Lab;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who comes into the ruled class and who not; without a scheduler the kernel treats that class as its own. */
@Tag("scx")
class RuledTasksLabTest {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void inTheLab() {
        Lab.require();
    }

    private static int classOf(long process) {
        return SchedulingClass.of((int) process);
    }

    private static void into(Path group, long process) throws IOException {
        Files.writeString(group.resolve("cgroup.procs"), Long.toString(process));
    }

    private static Process sleeper() throws IOException {
        return new ProcessBuilder("sleep", "600").start();
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    /** The agent's process is started by the host's, and may be in the group that it rules: nobody else would run it in time. */
    @Test
    void whatTheHostsProcessHasStartedIsNotMovedWithItsGroup() throws Exception {
        Path group = Files.createDirectories(GROUPS.resolve("with-host"));
        Process agent = sleeper();
        Process shell = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; wait").start();
        long other = Long.parseLong(shell.inputReader().readLine());
        try (RuledTasks tasks = new RuledTasks(List.of(), List.of(group))) {
            into(group, agent.pid());
            into(group, other);
            tasks.begin();
            assertThat(classOf(other)).isEqualTo(SchedulingClass.EXT);
            assertThat(classOf(agent.pid())).isEqualTo(SchedulingClass.OTHER);
        } finally {
            assertThat(classOf(other)).as("and back").isEqualTo(SchedulingClass.OTHER);
            ProcessHandle.of(other).ifPresent(ProcessHandle::destroyForcibly);
            end(agent);
            end(shell);
            Work.await("the group is empty", () -> group.toFile().delete());
        }
    }

    /** Such a group does not say its processes. */
    @Test
    void ofAThreadedGroupItsThreadsAreRuledAndNoOthers() throws Exception {
        Path domain = Files.createDirectories(GROUPS.resolve("domain"));
        Path threaded = Files.createDirectories(domain.resolve("threaded"));
        Files.writeString(threaded.resolve("cgroup.type"), "threaded");
        Process shell = new ProcessBuilder("sh", "-c", Work.PROGRAM + " " + folder.resolve("counters")
                + " threads 3 200 200000 600 & echo $!; wait").start(); // what this process starts itself is its own
        ProcessHandle program = ProcessHandle.of(started(shell)).orElseThrow();
        try (Work work = Work.of(program, folder, 3);
                RuledTasks tasks = new RuledTasks(List.of(), List.of(threaded))) {
            work.awaitRounds(new long[0], 1);
            into(domain, program.pid());
            long one = work.threads()[1];
            Files.writeString(threaded.resolve("cgroup.threads"), Long.toString(one));
            tasks.begin();
            assertThat(classOf(one)).isEqualTo(SchedulingClass.EXT);
            assertThat(work.ruledThreads()).isEqualTo(1);
        }
        end(shell);
        Work.await("the groups are empty", () -> threaded.toFile().delete() && domain.toFile().delete());
    }

    @Test
    void aNumberThatIsAnotherProcessByNowIsNotRuled() throws Exception {
        Process first = childOfAShell(0);
        long number = started(first);
        try (RuledTasks tasks = new RuledTasks(List.of(number), List.of())) {
            tasks.begin();
            assertThat(classOf(number)).isEqualTo(SchedulingClass.EXT);
            finish(first);
            Work.await("the number is free", () -> !Files.exists(Path.of("/proc", Long.toString(number))));
            Process second = again(number);
            try {
                tasks.look();
                assertThat(classOf(number)).isEqualTo(SchedulingClass.OTHER);
                assertThat(tasks.isWorthwhile()).isFalse();
            } finally {
                finish(second);
            }
        }
    }

    private static Process childOfAShell(long before) throws IOException {
        return new ProcessBuilder("sh", "-c", (before == 0 ? "" : "echo " + before + " >/proc/sys/kernel/ns_last_pid; ")
                + "sleep 600 & echo $!; read line; kill $!; wait").start();
    }

    /** Its child as well. */
    private static void finish(Process shell) throws Exception {
        shell.outputWriter().close();
        assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    private static long started(Process shell) throws IOException {
        return Long.parseLong(shell.inputReader().readLine());
    }

    /** The kernel gives out the number that follows the last one. */
    private static Process again(long number) throws Exception {
        for (int turn = 0; turn < 50; turn++) {
            Process shell = childOfAShell(number - 1);
            if (started(shell) == number) {
                return shell;
            }
            finish(shell);
        }
        throw new AssertionError("number " + number + " did not come again");
    }
}
