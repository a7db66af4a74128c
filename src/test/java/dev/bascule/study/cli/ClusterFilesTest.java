package dev.bascule.study.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.cli.Cli;
import dev.bascule.run.Errors;
import dev.bascule.cli.Main;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
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
        assertThat(spec.get("backoffLimitPerIndex")).as("repeats of one point").isEqualTo(3);
        assertThat(spec.containsKey("backoffLimit")).as("a limit for all points together").isFalse();
        assertThat(String.valueOf(spec.get("podFailurePolicy"))).contains("Ignore").contains("DisruptionTarget");
        Map<?, ?> pod = (Map<?, ?>) ((Map<?, ?>) spec.get("template")).get("spec");
        Map<?, ?> container = (Map<?, ?>) ((List<?>) pod.get("containers")).get(0);
        String command = String.valueOf(((List<?>) container.get("command")).get(2));
        assertThat(command).contains("--index \"$JOB_COMPLETION_INDEX\"");
        List<String> words = List.of(command.substring(command.indexOf("sweep")).replace("\"", "")
                .replace("$JOB_COMPLETION_INDEX", "4").strip().split("\\s+"));
        understood(words);
        int points = SweepGrid.of(Map.of("cpus", "4,16,64", "load", "0.3,0.6,0.9"), List.of()).points().size();
        assertThat(spec.get("completions")).as("one pod a point").isEqualTo(points);
    }

    // ---- the scripts and the program, without the cluster around them

    /** A {@code bascule-study.jar} as it ships: a manifest with the main class, and everything else beside it. */
    private Path jar() throws Exception {
        Path jar = folder.resolve("bascule-study.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        List<String> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toAbsolutePath().toUri().toString());
        }
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, String.join(" ", urls));
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    private int run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(folder.resolve("log.txt").toFile());
        builder.environment().putAll(environment);
        builder.environment().merge("PATH", Path.of(System.getProperty("java.home"), "bin").toString(),
                (old, own) -> own + File.pathSeparator + old);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private int slurm(Path jar, int index) throws Exception {
        return run(Map.of("SLURM_ARRAY_TASK_ID", Integer.toString(index), "BASCULE_JAR", jar.toString()), "bash",
                Path.of("scripts/cluster/sweep.slurm").toAbsolutePath().toString(), "cpus=1,2", "load=0.3", "jobs=300");
    }

    @Test
    @Tag("process")
    void theTasksOfASlurmArrayMakeTheWholeSweepAndOneThatRunsAgainChangesNothing() throws Exception {
        Path jar = jar();
        for (int index = 0; index < 2; index++) {
            assertThat(slurm(jar, index)).as(Files.readString(folder.resolve("log.txt"))).isZero();
        }
        Path second = folder.resolve("sweep/point-1.jsonl");
        String row = Files.readString(second);
        assertThat(row).contains("\"cpus\":\"2\"").contains("\"littleErrorNanos\":0").endsWith("}\n");
        assertThat(slurm(jar, 1)).isZero();
        assertThat(Files.readString(second)).as("run again").isEqualTo(row);
        assertThat(slurm(jar, 2)).as("no such point").isEqualTo(Errors.USAGE);
        assertThat(Files.readString(folder.resolve("log.txt"))).contains("the grid has points 0 to 1");
        Path all = folder.resolve("sweep.jsonl");
        Files.writeString(all, Files.readString(folder.resolve("sweep/point-0.jsonl")) + row);
        Cli whole = Cli.run("sweep", "cpus=1,2", "load=0.3", "jobs=300", "--out", all.toString());
        assertThat(whole.status()).as(whole.err()).isZero();
        assertThat(whole.err()).contains("0 of 2 points to run");
    }

    @Test
    @Tag("process")
    void aPodOfTheKubernetesJobRunsItsPointAndKeepsItInTheVolume() throws Exception {
        jar();
        Object read = new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(Path.of("scripts/cluster/sweep-job.yaml")));
        Map<?, ?> template = (Map<?, ?>) ((Map<?, ?>) ((Map<?, ?>) read).get("spec")).get("template");
        List<?> containers = (List<?>) ((Map<?, ?>) template.get("spec")).get("containers");
        List<?> command = (List<?>) ((Map<?, ?>) containers.get(0)).get("command");
        String script = String.valueOf(command.get(2)).replace("/data", folder.toString())
                .replace(" sweep ", " sweep jobs=300 ");
        int status = run(Map.of("JOB_COMPLETION_INDEX", "4"), String.valueOf(command.get(0)),
                String.valueOf(command.get(1)), script);
        assertThat(status).as(Files.readString(folder.resolve("log.txt"))).isZero();
        assertThat(Files.readString(folder.resolve("results/point-4.jsonl"))).contains("\"cpus\":\"16\"")
                .contains("\"load\":\"0.6\"").endsWith("}\n");
    }

    private static void understood(List<String> words) {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(words.toArray(String[]::new));
        assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("sweep");
        assertThat(parsed.subcommand().matchedOptionValue("--index", -1)).isNotNegative();
    }
}
