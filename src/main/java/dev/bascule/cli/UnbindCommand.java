package dev.bascule.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Gives PCI devices back to the kernel's own drivers. */
@Command(name = "unbind", mixinStandardHelpOptions = true, description = {
        "Gives PCI devices back from vfio-pci to the driver the kernel would choose. Needs root.",
        "A process that drives the device is asked to give it up, and the commands of Bascule do; another is named while it"
                + " is waited for." }, footer = { "",
                        "Examples:", "  bascule unbind 0000:03:00.0", "  bascule unbind --group 03:00.0" })
final class UnbindCommand extends CommandBase {
    @Mixin
    private MoveArguments arguments = new MoveArguments();

    @Override
    public Integer call() {
        return arguments.move(out(),
                arguments.waiting((binding, address) -> binding.unbind(address, arguments.group())));
    }
}
