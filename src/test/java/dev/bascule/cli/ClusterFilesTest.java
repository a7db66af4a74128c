package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine;

/** The files that carry a sweep to a cluster run the command that this program has. */
class ClusterFilesTest {
    @TempDir
    private Path folder;

    @Test
    @Tag("process")
    void theSlurmScriptRunsItsPointOfTheGrid() throws Exception {
        Path java = folder.resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("bash", Path.of("scripts/cluster/sweep.slurm").toAbsolutePath()
                .toString(), "cpus=1,2", "load=0.3").directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("SLURM_ARRAY_TASK_ID", "1", "JAVA", java.toString(), "BASCULE_JAR",
                "b.jar"));
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        List<String> words = out.lines().toList();
        assertThat(words).containsSequence("-jar", "b.jar", "sweep", "cpus=1,2", "load=0.3", "--index", "1", "--out",
                "sweep/point-1.jsonl");
        understood(words.subList(words.indexOf("sweep"), words.size()));
    }

    @Test
    void theKubernetesJobRunsItsPointOfTheGrid() throws Exception {
        Object read = new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(Path.of("scripts/cluster/sweep-job.yaml")));
        Map<?, ?> spec = (Map<?, ?>) ((Map<?, ?>) read).get("spec");
        assertThat(spec.get("completionMode")).isEqualTo("Indexed");
        Map<?, ?> pod = (Map<?, ?>) ((Map<?, ?>) spec.get("template")).get("spec");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
        String command = String.valueOf(((List<?>) container.get("command")).get(2));
        assertThat(command).contains("--index \"$JOB_COMPLETION_INDEX\"");
        List<String> words = List.of(command.substring(command.indexOf("sweep")).replace("\"", "")
                .replace("$JOB_COMPLETION_INDEX", "4").strip().split("\\s+"));
        understood(words);
        int points = SweepGrid.of(Map.of("cpus", "4,16,64", "load", "0.3,0.6,0.9")).points().size();
        assertThat(spec.get("completions")).as("one pod a point").isEqualTo(points);
    }

    private static void understood(List<String> words) {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words.toArray(String[]::new));
        assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("sweep");
        assertThat(parsed.subcommand().matchedOptionValue("--index", -1)).isNotNegative();
    }
}
