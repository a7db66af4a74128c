package dev.bascule.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The subcommands by name, in the order in which the help shows them. A command line that names one is made of that one
 * alone: reading the annotations of all of them takes as long as the start of the JVM.
 */
final class Commands {
    /** The product's. */
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();
    private static final Pattern FIRST_CLAUSE = Pattern.compile("(?<=\\w)[.:;](?: .*|$)", Pattern.DOTALL);

    static {
        GROUPS.put("Requests, and agents that decide for them", List.of("run", "agent", "upgrade", "cpu", "policies",
                "verify", "top"));
        GROUPS.put("Threads and memory of this machine", List.of("kernel", "demo", "tier"));
        GROUPS.put("RPC", List.of("rpc", "lauberhorn"));
        GROUPS.put("Packets", List.of("fwd", "pktgen", "capture", "echo", "app", "judge", "dump", "dpdk"));
        GROUPS.put("Devices", List.of("doctor", "devices", "probe", "bind", "unbind", "regs", "vfs"));
        GROUPS.put("Simulated devices", List.of("serve", "replay"));
        GROUPS.put("Projects and tools", List.of("new", "pack", "bench", "completion"));
    }

    /** Where what was asked for is, if no jar beside the product's is there; "is" comes before. */
    static final String ABSENT = " in the study jar, and that is not on the class path: put bascule-study.jar beside"
            + " bascule.jar, and start it instead";

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
            names().stream().map(Commands::create).filter(Objects::nonNull).forEach(line::addSubcommand);
        }
    }

    /** The list of commands in the help of all: in groups, with the first clause of what each does. */
    static void group(CommandLine line) {
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(line.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, Commands::list);
        line.getCommandSpec().usageMessage().sectionMap(sections);
    }

    private static String list(Help help) {
        int nameWidth = names().stream().mapToInt(String::length).max().orElse(0) + 2 + 2;
        int width = help.commandSpec().usageMessage().width();
        StringBuilder text = new StringBuilder();
        Beside.GROUPS.forEach((title, names) -> {
            TextTable table = TextTable.forColumns(help.colorScheme(), new Column(nameWidth, 2, Overflow.SPAN),
                    new Column(width - nameWidth, 2, Overflow.WRAP));
            for (String name : names) {
                Help command = help.subcommands().get(name);
                if (command != null) {
                    table.addRowValues(help.colorScheme().commandText(name),
                            help.colorScheme().text(shortly(command.commandSpec().usageMessage().description())));
                }
            }
            text.append(String.format("%n%s%n", title)).append(table);
        });
        return text.toString();
    }

    /** First clause of a description, without what stands in brackets. */
    static String shortly(String... description) {
        String whole = String.join(" ", description);
        return FIRST_CLAUSE.matcher(whole.replaceAll(" \\([^)]*\\)", "")).replaceFirst("");
    }

    /** Jars beside the product's, looked for when a name is not the product's own, or all are asked for. */
    private static final class Beside {
        private static final List<Extension> ALL = ServiceLoader.load(Extension.class, Extension.class.getClassLoader())
                .stream().map(ServiceLoader.Provider::get).toList();
        /** With the commands of all jars, each in its place. */
        private static final Map<String, List<String>> GROUPS = groups(ALL);
    }

    private static Map<String, List<String>> groups(List<Extension> extensions) {
        SequencedMap<String, String> groupOf = new LinkedHashMap<>();
        GROUPS.forEach((title, names) -> names.forEach(name -> groupOf.put(name, title)));
        List<String> order = new ArrayList<>(groupOf.sequencedKeySet());
        for (Extension extension : extensions) {
            for (Extension.Entry entry : extension.commands()) {
                order.add(order.indexOf(entry.after()) + 1, entry.name());
                groupOf.put(entry.name(), entry.group().isEmpty()
                        ? groupOf.getOrDefault(entry.after(), "")
                        : entry.group());
            }
        }
        Map<String, List<String>> groups = new LinkedHashMap<>();
        order.forEach(name -> groups
                .computeIfAbsent(groupOf.getOrDefault(name, ""), _ -> new ArrayList<>()).add(name));
        return groups;
    }

    /** Names of all commands, in the order of the help. */
    static List<String> names() {
        return Beside.GROUPS.values().stream().flatMap(List::stream).toList();
    }

    /** All that jars beside the product's add. */
    static List<Extension> extensions() {
        return Beside.ALL;
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
            case "verify" -> new VerifyCommand();
            case "doctor" -> new DoctorCommand();
            case "devices" -> new DevicesCommand();
            case "probe" -> new ProbeCommand();
            case "bind" -> new BindCommand();
            case "unbind" -> new UnbindCommand();
            case "regs" -> new RegsCommand();
            case "vfs" -> new VfsCommand();
            case "top" -> new TopCommand();
            case "bench" -> new BenchCommand();
            case "dpdk" -> new DpdkCommand();
            case "fwd" -> new FwdCommand();
            case "pktgen" -> new PktgenCommand();
            case "capture" -> new CaptureCommand();
            case "judge" -> new JudgeCommand();
            case "echo" -> new EchoCommand();
            case "app" -> new AppCommand();
            case "rpc" -> new RpcCommand();
            case "lauberhorn" -> new LauberhornCommand();
            case "dump" -> new DumpCommand();
            case "replay" -> new ReplayCommand();
            case "serve" -> new ServeCommand();
            case "pack" -> new PackCommand();
            case "new" -> new NewCommand();
            case "completion" -> new CompletionCommand();
            default -> extensions().stream().flatMap(one -> one.commands().stream())
                    .filter(entry -> entry.name().equals(name)).findFirst().map(entry -> entry.made().get())
                    .orElse(null);
        };
    }
}
