package dev.bascule.cli;

import dev.bascule.host.HostCpus.Change;
import dev.bascule.json.Json;
import dev.bascule.run.CpuRequests;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** CPUs of a running host that come and go. */
@Command(name = "cpu", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Takes, gives back, unplugs and plugs in a CPU of a running host, or lists them. The agent is told (CPU_BUSY,"
                + " CPU_AVAILABLE), and what runs there goes on elsewhere.",
        "Ends when nothing runs on the CPU any more. The last CPU online cannot be unplugged; a task that may use unplugged"
                + " CPUs only may use any from then on, as Linux does it." }, footer = { "", "Examples:",
                        "  bascule cpu                          # the CPUs of the newest host that runs",
                        "  bascule cpu 2 offline",
                        "  bascule cpu --region /dev/shm/mine 2 online --json",
                        "  bascule cpu 1 take                   # as if something outside of the enclave had it",
                        "  bascule cpu 1 give", "", "Within a run: bascule run --fault offline:2@500ms+1s" })
final class CpuCommand extends CommandBase {
    private static final long LIMIT_NANOS = 10_000_000_000L;

    @Option(names = "--region", paramLabel = "DIR", description = "run directory of the host; default: the newest host that runs")
    private @Nullable Path region;

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Parameters(arity = "0..2", paramLabel = "CPU CHANGE", description = "a CPU's number and what happens to it: take, give, offline or online")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        check();
        List<String> answer = ControlClient.ask(region, CpuRequests.SUBJECT, words, LIMIT_NANOS);
        String error = answer.getFirst();
        List<String> states = answer.subList(1, answer.size());
        if (!error.isEmpty()) {
            throw new Failure(error);
        }
        out().print(json ? json(states).pretty() : text(states));
        out().flush();
        return 0;
    }

    private void check() {
        if (words.isEmpty()) {
            return;
        }
        if (words.size() != 2 || !words.get(0).matches("\\d{1,4}")) {
            throw new Misuse("'" + String.join(" ", words)
                    + "': a CPU's number and what happens to it, as in: bascule cpu 2 offline");
        }
        Change unused = Misuse.reading("CHANGE", () -> Change.of(words.get(1)));
    }

    private static String text(List<String> states) {
        StringBuilder text = new StringBuilder();
        for (int cpu = 0; cpu < states.size(); cpu++) {
            text.append("CPU ").append(cpu).append(": ").append(states.get(cpu)).append('\n');
        }
        return text.toString();
    }

    private static Json.Obj json(List<String> states) {
        Json.Arr all = Json.array();
        for (int cpu = 0; cpu < states.size(); cpu++) {
            all.add(Json.object().put("cpu", cpu).put("state", states.get(cpu)));
        }
        return Json.object().put("cpus", all);
    }
}
