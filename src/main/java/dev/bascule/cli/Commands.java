package dev.bascule.cli;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * The subcommands by name, in the order in which the help shows them. A command line that names one is made of that one
 * alone: reading the annotations of all of them takes as long as the start of the JVM.
 */
final class Commands {
    static final List<String> NAMES = List.of("run", "kernel", "demo", "tier", "agent", "upgrade", "cpu", "policies",
            "doctor",
            "devices", "probe", "bind", "unbind", "regs", "vfs", "top", "bench", "reproduce",
            "calibrate", "sim", "sweep",
            "dpdk", "fwd", "pktgen", "capture", "judge", "compare", "echo", "app", "rpc", "lauberhorn", "fabric",
            "dump",
            "replay",
            "serve", "pack", "new", "completion");

    private Commands() {}

    /** Adds what the words need: the command they name, none to tell the version, else all. */
    static void addFor(CommandLine line, String... words) {
        String first = words.length == 0 ? "" : words[0];
        if (first.equals("--version") || first.equals("-V")) {
            return;
        }
        Object named = first.equals("completion") ? null : create(first);
        if (named != null) {
            line.addSubcommand(named);
        } else {
            NAMES.forEach(name -> line.addSubcommand(Objects.requireNonNull(create(name))));
        }
    }

    private static @Nullable Object create(String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "kernel" -> new KernelCommand();
            case "demo" -> new DemoCommand();
            case "tier" -> new TierCommand();
            case "agent" -> new AgentCommand();
            case "upgrade" -> new UpgradeCommand();
            case "cpu" -> new CpuCommand();
            case "policies" -> new PoliciesCommand();
            case "doctor" -> new DoctorCommand();
            case "devices" -> new DevicesCommand();
            case "probe" -> new ProbeCommand();
            case "bind" -> new BindCommand();
            case "unbind" -> new UnbindCommand();
            case "regs" -> new RegsCommand();
            case "vfs" -> new VfsCommand();
            case "top" -> new TopCommand();
            case "bench" -> new BenchCommand();
            case "reproduce" -> new ReproduceCommand();
            case "calibrate" -> new ReproduceCommand.Calibrate();
            case "sim" -> new SimCommand();
            case "sweep" -> new SweepCommand();
            case "dpdk" -> new DpdkCommand();
            case "fwd" -> new FwdCommand();
            case "pktgen" -> new PktgenCommand();
            case "capture" -> new CaptureCommand();
            case "judge" -> new JudgeCommand();
            case "compare" -> new CompareCommand();
            case "echo" -> new EchoCommand();
            case "app" -> new AppCommand();
            case "fabric" -> new FabricCommand();
            case "rpc" -> new RpcCommand();
            case "lauberhorn" -> new LauberhornCommand();
            case "dump" -> new DumpCommand();
            case "replay" -> new ReplayCommand();
            case "serve" -> new ServeCommand();
            case "pack" -> new PackCommand();
            case "new" -> new NewCommand();
            case "completion" -> new CompletionCommand();
            default -> null;
        };
    }
}
