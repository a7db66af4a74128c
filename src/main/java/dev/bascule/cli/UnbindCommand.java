package dev.bascule.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Gives PCI devices back to the kernel's own drivers. */
@Command(name = "unbind", mixinStandardHelpOptions = true, description = {
        "Gives PCI devices back from vfio-pci to the driver the kernel would choose. Needs root." }, footer = { "",
                "Examples:", "  bascule unbind 0000:03:00.0", "  bascule unbind --group 03:00.0" })
final class UnbindCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private MoveArguments arguments = new MoveArguments();

    @Override
    public Integer call() {
        return arguments.move(spec, (binding, address) -> binding.unbind(address, arguments.group()));
    }
}
