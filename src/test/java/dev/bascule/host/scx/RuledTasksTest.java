package dev.bascule.host.scx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuledTasksTest {
    @Test
    void aProcessThatIsNotThereIsSaid() {
        try (RuledTasks tasks = new RuledTasks(List.of(4_194_305L), List.of())) {
            assertThatThrownBy(tasks::begin).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("there is no process 4194305");
        }
    }

    @Test
    void thisProcessCannotRuleItself() {
        try (RuledTasks tasks = new RuledTasks(List.of(ProcessHandle.current().pid()), List.of())) {
            assertThatThrownBy(tasks::begin).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("its own threads");
        }
    }

    @Test
    void aFolderThatIsNoGroupIsSaid(@TempDir Path folder) {
        try (RuledTasks tasks = new RuledTasks(List.of(), List.of(folder))) {
            assertThatThrownBy(tasks::begin).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is no cgroup");
        }
    }

    @Test
    void withoutProcessesAndGroupsThereIsNothingToWaitFor() {
        try (RuledTasks tasks = new RuledTasks(List.of(), List.of())) {
            tasks.begin();
            assertThat(tasks.count()).isZero();
            assertThat(tasks.isWorthwhile()).isFalse();
        }
    }
}
