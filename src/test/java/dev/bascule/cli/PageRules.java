package dev.bascule.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** How a command of a page or a help text is run in the time and on the machine of a test: what is changed, what cannot be. */
final class PageRules {
    /**
     * A change, with its why.
     *
     * @param words what is replaced, a regular expression
     */
    private record Change(String words, String by, String why) {}

    /** A command that cannot run here. */
    private record Lack(String words, String reason) {}

    private static final List<Change> CHANGES = List.of(
            new Change("\\bsudo ", "", "the test is root, or its blocks are left out"),
            new Change("/(tmp|dev/shm)/", "\\$D/", "a folder of the block's own"),
            new Change("--device served-smartnic(?!.*--cores)", "$0 --cores \\$D/nic0.cores",
                    "the configuration's socket is there too"),
            new Change("^scripts/test\\b.*", "scripts/test --help", "the tests themselves"),
            new Change("^scripts/bench\\b.*", "scripts/bench --help", "a minute and more"),
            new Change("^scripts/run$",
                    "scripts/run --quick --patient --no-pin --fallback-limit 1 --duration 300ms --load 0.5",
                    "short form"),
            new Change("(--duration) \\d+[sm](?!s)", "$1 400ms", "shorter"),
            new Change("(bascule (?:fwd|echo)\\b)(?!.*(?:--rate|--device))", "$1 --rate 2000",
                    "nothing else paces them"),
            new Change("(--(?:count|frames)) \\d{5,}\\b", "$1 1000",
                    "fewer than a ring holds: none is lost on a busy machine"),
            new Change("(bascule judge\\b)(?!.*(?:--list|--frames))", "$1 --frames 250", "fewer"),
            new Change("(bascule judge\\b)(?!.*(?:--list|--rounds))", "$1 --rounds 2", "fewer"),
            new Change("--slow 100\\b", "--slow 10", "sooner"),
            new Change("(bascule tune\\b.*)--live \\d+", "$1--live 1", "fewer"),
            new Change("(bascule tune\\b.*?)(?: --seconds \\d+)?(?=$| #)", "$1 jobs=4000 --seconds 2",
                    "fewer and shorter"),
            new Change("(bascule judge\\b)(?!.*(?:--only|--list))", "$1 --only frames,interrupts,restart",
                    "JudgeCommandTest has all"),
            new Change("(demo (?:store|player))(?!.*--duration)", "$1 --duration 400ms", "shorter"),
            new Change("--repeat \\d+", "--repeat 2", "fewer"),
            new Change("cpus=4096 agents=64 (.*) jobs=20000", "cpus=64 agents=4 $1 jobs=500", "smaller"),
            new Change("\\b((?:bascule|scripts/)\\s?(?:run|compare))\\b(?!.*--quick)", "$1 --quick", "short form"),
            new Change("\\b((?:reproduce|calibrate) \\w+)\\b(?!.*--quick)", "$1 --quick", "short form"),
            new Change("--cpu 3", "--cpu 0", "the machine may have two"),
            new Change("(--kill-agent(?:-at)?) \\ds", "$1 100ms", "sooner"),
            new Change("(bascule run\\b)(?=.*--upgrade-at)(?!.*--duration)", "$1 --duration 4s", "as long as it takes"),
            new Change("@500ms", "@100ms", "sooner"),
            run("--capacity", "1000", "the capacity is not measured first"),
            run("--transport", "wave", "one of four; README's own run has all"),
            run("--load", "0.5", "one point of load"),
            run("--duration", "300ms", "shorter"),
            run("--fallback-limit", "1", "many others work on a machine of tests"),
            run("(?:--workload|--policy \\S*my|--nice|--mix)", "--workload", "spin", "nothing to fill first"),
            new Change("(bascule run\\b)(?!.*--patient)", "$1 --patient --no-pin", "the same"),
            new Change("(load .{0,60})--rate \\d{4,}", "$1--rate 300", "what a busy server answers"),
            new Change("--rate \\d{4,}", "--rate 2000", "the same; in 400 ms fewer than a ring holds"),
            new Change("--loop 100\\b", "--loop 10", "fewer"),
            new Change("((?:rpc|lauberhorn) bench)\\b(?: --quick)?(?!.*--count)", "$1 --count 500", "fewer"),
            run("--starvation", "10s", "the same"),
            new Change("(bascule (?:sim|sweep)\\b(?!.*(?:jobs=|--against|--count)).*?)(?=$| #| >| &&)", "$1 jobs=200",
                    "fewer"),
            new Change(
                    "(bascule (?:sim|sweep)\\b(?!.*(?:--repeat|--count|--why|--record|--replay|--trace)).*?)(?=$| #| >)",
                    "$1 --repeat 1", "fewer"),
            new Change("(bascule sweep cpus=\\d+),\\S+(?=.* transport=)", "$1", "the smallest of them"),
            new Change("(rpc bench .*--json)", "$1 --link wave", "one of several"),
            new Change("(?<=bascule sweep .{0,99}=[^, ]{1,9},[^, ]{1,9}),\\S+", "", "two values of each"),
            new Change("\\bPID\\.jfr", "\\$(ls *.jfr | head -n 1)", "the number that the run had"));

    /** An option of {@code run} where it is not there yet. */
    private static Change run(String option, String value, String why) {
        return run(option, option, value, why);
    }

    /** An option of {@code run} where none that matches {@code unless} is there. */
    private static Change run(String unless, String option, String value, String why) {
        return new Change("(bascule run\\b)(?!.*" + unless + ")", "$1 " + option + " " + value, why);
    }

    private static final List<Lack> LACKS = List.of(
            new Lack("\\b(0000:|\\d\\d:\\d\\d\\.\\d|dpdk:)", "needs a PCI card"),
            new Lack("/dev/vfio/", "needs a PCI card"),
            new Lack("--link rdma", "needs two machines with RDMA"),
            new Lack("my-card|^ssh |^scp ", "needs the reader's own card"),
            new Lack("bascule kernel |kernel-example", "rules the machine's own scheduler: scripts/test --lab"),
            new Lack("bascule pack ", "fetches the JDK of another machine, 250 MB: PackTest"),
            new Lack("^sbatch ", "needs Slurm"),
            new Lack("^jbang ", "needs jbang and an installed artefact: JbangTest"),
            new Lack("--programs /mnt/huge", "needs hugepages: ProgramsTest"),
            new Lack("(tap:(lauber|rpc)0)", "needs an interface of the machine: scripts/test --rpc"),
            new Lack("node:1|--pid \\d+", "needs a second NUMA node or a process of that number: TierLabTest"),
            new Lack("--to pageout|tier --link swap",
                    "sends pages to a swap that the machine may not have: TierLabTest"),
            new Lack("dpdk-telemetry.py|--telemetry", "needs DPDK's tools in Python: TelemetryToolsTest"),
            new Lack("bench(mark)?s? --lab|scripts/lab", "a virtual machine: scripts/test --lab"));

    /** Examples of a help text that need a partner, which a page's block has beside them. */
    private static final List<Lack> ALONE = List.of(
            new Lack("bascule (agent|upgrade|cpu|top|lauberhorn process)\\b|--external-agent",
                    "needs a host that runs: production.md, AgentHandOverProcessTest, CpuProcessTest, LauberhornProcessTest"),
            new Lack("(--device|probe) /tmp/nic|bascule (rpc|lauberhorn) load",
                    "needs a served card, or a server: judge.md, rpc.md"));

    /** Ends only when it is told to, or needs longer than the lane has: it is begun, seen at work, and interrupted. */
    private static final Pattern ENDLESS = Pattern.compile("bascule (serve|rpc serve|lauberhorn serve|agent\\b.*--stay"
            + "|top(?!.*--once)|compare\\b|reproduce (enso|wave|fito|ghost|lauberhorn|nagare --quick -))|cosim/nic |--web 8080");
    /** Goes on beside the ones behind it and ends by itself. */
    private static final Pattern WAITS = Pattern.compile("--external-agent");
    private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

    private PageRules() {}

    /** The command as it is run. */
    static String changed(String command) {
        String now = command;
        for (Change change : CHANGES) {
            now = now.replaceAll(change.words, change.by);
        }
        return now;
    }

    /**
     * Why the command cannot run here; empty if it can.
     *
     * @param isApart whether it stands for itself, with no other command beside it
     */
    static String lack(String command, boolean isApart) {
        for (Lack lack : isApart ? Stream.concat(ALONE.stream(), LACKS.stream()).toList() : LACKS) {
            if (Pattern.compile(lack.words).matcher(command).find()) {
                return lack.reason;
            }
        }
        return lackOfMachine(command);
    }

    private static String lackOfMachine(String command) {
        if (command.contains("sudo ") && !IS_ROOT) {
            return "needs root";
        }
        if (command.contains("rpcinfo ") && !isThere("rpcinfo")) {
            return "no rpcinfo here: apt-get install rpcbind";
        }
        if (command.contains("tshark ") && !isThere("tshark")) {
            return "no tshark here: apt-get install tshark";
        }
        if (command.contains("cosim") && !isThere("verilator")) {
            return "no verilator here: apt-get install verilator";
        }
        return command.contains("bascule dpdk ") && !hasDpdk() ? "no DPDK here: scripts/test --dpdk" : "";
    }

    private static boolean hasDpdk() {
        try (Stream<Path> libraries = Files.find(Path.of("/usr/lib"), 2,
                (path, is) -> path.getFileName().toString().startsWith("librte_ethdev.so"))) {
            return libraries.findAny().isPresent();
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    private static boolean isThere(String program) {
        return Stream.of("/usr/bin", "/usr/sbin", ShellBlock.ROOT + "/target/rpcbind/usr/sbin")
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    static boolean isEndless(String command) {
        return ENDLESS.matcher(command).find();
    }

    static boolean isAwaited(String command) {
        return WAITS.matcher(command).find();
    }
}
