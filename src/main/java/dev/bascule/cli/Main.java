package dev.bascule.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Entry point of {@code scripts/bascule}; each command is a subcommand. */
@Command(name = "bascule", mixinStandardHelpOptions = true, versionProvider = Version.class, description = {
        "Drives SmartNICs and FPGA NICs from user space, and lets host and NIC decide together." }, subcommands = {
                RunCommand.class, AgentCommand.class, DoctorCommand.class, DevicesCommand.class, ProbeCommand.class,
                BindCommand.class, UnbindCommand.class, RegsCommand.class, VfsCommand.class, TopCommand.class,
                BenchCommand.class, ReproduceCommand.class, SimCommand.class, SweepCommand.class, DpdkCommand.class,
                FwdCommand.class, PktgenCommand.class, CaptureCommand.class, CompareCommand.class,
                EchoCommand.class, AppCommand.class, DumpCommand.class, ReplayCommand.class, ServeCommand.class,
                CompletionCommand.class }, footer = { "",
                        "Examples:", "  bascule doctor",
                        "  bascule run --quick", "  bascule compare --quick", "  bascule top",
                        "  source <(bascule completion)", "",
                        "Exit status: 0 done, 1 could not be done (the message says why), 2 wrong usage, 70 a bug, 130 interrupted." })
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before it calls run
    private CommandSpec spec;

    private Main() {}

    /** Runs the command line and ends the process with its exit status. */
    public static void main(String[] args) {
        System.exit(Errors.execute(commandLine(), args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Main());
    }

    /** Without a subcommand: shows the help. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
