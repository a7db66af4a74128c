package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing is done to a process by its number alone, which may be another's by then: {@code HeldProcess} holds on to one. */
class ProcessNumbersTest {
    /** System calls and files that act on a process or a thread. */
    private static final Pattern ACTS = Pattern.compile("\\bKILL\\b|SYS_PIDFD_|PROCESS_MADVISE|MOVE_PAGES,|PROCESS_VM|"
            + "SCHED_SETSCHEDULER,|SCHED_SETAFFINITY,|SchedulingClass\\.set\\(|\"clear_refs\"|pid_target|oom_score_adj");

    @Test
    void whoActsOnAProcessIsKnownAndHoldsOnToIt() throws IOException {
        try (Stream<Path> sources = Files.walk(House.MAIN)) {
            assertThat(sources.filter(file -> file.toString().endsWith(".java")).filter(ProcessNumbersTest::acts)
                    .map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(
                            "HeldProcess.java", "ProcessMemory.java", // by pidfd, and checked before move_pages
                            "Fn.java", "Affinity.java", "CpuMoves.java", "NumaPolicy.java", // names; the calling thread
                            "SchedulingClass.java", "RuledProcess.java", "RuledTasks.java", "ClassLeftovers.java", // threads, which have no pidfd before 6.9
                            "Referenced.java", "SoftDirty.java", // in the folder that is held
                            "Damon.java"); // checked behind it, and turned off
        }
    }

    private static boolean acts(Path file) {
        try {
            return ACTS.matcher(Files.readString(file)).find();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theRuleSeesOneThatActs() {
        assertThat(ACTS.matcher("NativeCall.words(Fn.KILL, pid, 9)").find()).isTrue();
        assertThat(ACTS.matcher("SchedulingClass.set(thread, SchedulingClass.EXT, 0)").find()).isTrue();
        assertThat(ACTS.matcher("held.signal(9)").find()).isFalse();
    }
}
