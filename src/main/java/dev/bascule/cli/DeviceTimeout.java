package dev.bascule.cli;

import dev.bascule.registry.Durations;
import dev.bascule.vfiouser.VfioUserOptions;
import picocli.CommandLine.Option;

/** Time that the server of a device may be silent; a shared option of all commands that connect to one. */
final class DeviceTimeout {
    @Range("0s..")
    @Option(names = "--device-timeout", defaultValue = "5s", paramLabel = "TIME", description = "of a served device: how long its server may leave a command without answer until the device counts as gone; longer for a slow simulator, though one that offers its clock is waited for as long as that runs; 0s: no limit; default ${DEFAULT-VALUE}")
    private String limit = "5s";

    /** The time in ns, 0 for no limit. */
    long nanos() {
        return Durations.parseNanos(limit);
    }

    VfioUserOptions options() {
        return VfioUserOptions.DEFAULT.withTimeoutNanos(nanos());
    }
}
