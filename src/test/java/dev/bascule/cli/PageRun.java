package dev.bascule.cli;

import dev.bascule.cli.ShellBlock.Step;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A shell block as a reader runs it: in one shell, in a folder of its own, by the scripts of this clone. */
final class PageRun {
    private static final long PATIENCE_SECONDS = 120;
    /** A line of what goes on beside the others, or of what takes longer than the lane has, once it is at work. */
    private static final String SERVES = "Serving|UDP port|waiting|live page|: listens|answered";
    private static final String PROGRESS = "^\\[ *[0-9.]+ s\\] ";
    /** Functions of the shell: how a step's end is noted, and when one that goes on beside the others is at work. */
    private static final String FUNCTIONS = """
            set -m
            cd "$D"
            note() { echo "$1 $2" >>"$D/.status"; }
            at_work() {
                local i
                for ((i = 0; i < 600; i++)); do
                    grep -qE "$3" "$D/.out$1" && return
                    (( i > 50 )) && [[ -s $D/.out$1 ]] && return
                    kill -0 "$2" 2>/dev/null || return
                    sleep 0.1
                done
            }
            interrupt() {
                kill -INT -- "-$2" 2>/dev/null
                wait "$2"
                local status=$?
                case $status in 130 | 143) status=0 ;; 127) grep -q 'not found' "$D/.out$1" || status=0 ;; 1) [[ -n $JUDGED ]] && status=0 ;; esac
                note "$1" "$status"
            }
            """;

    private final Path folder;
    private final List<Step> steps;
    /** Examples of a help text stand each for itself: a server ends before the next one, unless it goes on beside it. */
    private final boolean isHelp;

    /**
     * One step's end.
     *
     * @param command as it was run
     * @param status its own, or -1 if it did not end in time
     * @param output what it printed, to both streams
     */
    record Result(Step step, String command, int status, List<String> output) {}

    PageRun(Path folder, ShellBlock block) {
        this.folder = folder;
        steps = block.steps();
        isHelp = block.place().contains("--help");
    }

    /** Runs them all, whatever the status of one. */
    List<Result> run() throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve(".block.sh"), script());
        ProcessBuilder builder = new ProcessBuilder("bash", script.toString())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true).redirectOutput(folder.resolve(".shell").toFile());
        builder.environment()
                .putAll(Map.of("D", folder.toString(), "HOME", folder.toString(), "BASCULE_NO_BUILD", "1",
                        "BASCULE_INSTALL",
                        "no", "BASCULE_JAVA_HOME", System.getProperty("java.home"), "PATH", path()));
        // most end before a second compiler pays; what the program does and its heap stay
        builder.environment().put("BASCULE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        // a card that is judged is stopped and killed under load, and its server says what was lost by that
        builder.environment().put("JUDGED",
                steps.stream().anyMatch(step -> step.command().contains(" judge ")) ? "1" : "");
        builder.environment().remove("JAVA_HOME");
        Process process = builder.start();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return results();
    }

    private String path() {
        return folder.resolve(".bin") + ":" + System.getProperty("java.home") + "/bin:" + System.getenv("PATH")
                + ":/usr/sbin:" + ShellBlock.ROOT.resolve("target/rpcbind/usr/sbin");
    }

    private List<Result> results() throws IOException {
        int[] statuses = new int[steps.size()];
        Arrays.fill(statuses, -1);
        Path noted = folder.resolve(".status");
        for (String line : Files.exists(noted) ? Files.readAllLines(noted) : List.<String>of()) {
            String[] words = line.split(" ");
            statuses[Integer.parseInt(words[0])] = Integer.parseInt(words[1]);
        }
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Path out = folder.resolve(".out" + i);
            List<String> output = Files.exists(out)
                    ? new String(Files.readAllBytes(out), StandardCharsets.UTF_8)
                            .replace(folder.toString(), "/tmp").lines().toList()
                    : List.of();
            results.add(new Result(steps.get(i), command(i), statuses[i], output));
        }
        return results;
    }

    private String command(int step) {
        return PageRules.changed(steps.get(step).plain());
    }

    private String script() {
        StringBuilder script = new StringBuilder(FUNCTIONS);
        StringBuilder end = new StringBuilder();
        for (int i = 0; i < steps.size(); i++) {
            String command = command(i).replaceAll("\\s*&$", "");
            boolean goesOn = command(i).endsWith("&") || PageRules.isEndless(command);
            if (!goesOn && !PageRules.isAwaited(command)) {
                script.append("{ ").append(command).append("\n} >\"$D/.out").append(i)
                        .append("\" 2>&1\nnote ").append(i).append(" $?\n");
                continue;
            }
            String atWork = command.matches("(?s).*(compare|reproduce).*") ? PROGRESS : SERVES;
            script.append(command).append(" >>\"$D/.out").append(i).append("\" 2>&1 &\npid").append(i)
                    .append("=$!; at_work ").append(i).append(" $pid").append(i).append(" '").append(atWork)
                    .append("'\n");
            String pid = " \"$pid" + i + "\"";
            if (goesOn && isHelp && !command(i).endsWith("&")) {
                script.append("interrupt ").append(i).append(pid).append('\n');
            } else if (goesOn) {
                end.append("interrupt ").append(i).append(pid).append('\n');
            } else {
                script.append("ended").append(i).append("() { wait").append(pid).append("; note ").append(i)
                        .append(" $?; }\n");
                end.insert(0, "ended" + i + "\n");
            }
        }
        return script.append(end).toString();
    }
}
