package dev.bascule.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Gives PCI devices to vfio-pci, so that a process can drive them. */
@Command(name = "bind", mixinStandardHelpOptions = true, description = {
        "Gives PCI devices to the kernel's vfio-pci, so that a process can drive them. Needs root; lasts until the next "
                + "boot or `bascule unbind`.",
        "Refuses a device that carries a mounted disk, swap or a network interface in use, and one whose IOMMU group has "
                + "members with other drivers." }, footer = { "", "Examples:", "  bascule bind 0000:03:00.0",
                        "  bascule bind --group 03:00.0      # the whole IOMMU group",
                        "  sudo chown $USER /dev/vfio/17     # then no root is needed to drive it" })
final class BindCommand extends CommandBase {
    @Mixin
    private MoveArguments arguments = new MoveArguments();

    @Option(names = "--force", description = "even what the machine's disk or network depends on")
    private boolean force;

    @Override
    public Integer call() {
        return arguments.move(out(), (binding, address) -> binding.bind(address, arguments.group(), force));
    }
}
