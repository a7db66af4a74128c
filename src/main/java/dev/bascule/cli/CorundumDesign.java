package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumConfigBuilder;
import dev.bascule.model.corundum.CorundumProfile;
import dev.bascule.nic.MacAddress;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the Corundum or cndm design that {@code serve} serves. */
final class CorundumDesign {
    @OneOf({ "1", "2", "4" })
    @Option(names = "--interfaces", defaultValue = "1", paramLabel = "N", description = "corundum: interfaces, 1, 2 or 4 (4 without statistics, for which their BAR has no room); default ${DEFAULT-VALUE}")
    private int interfaces = 1;

    @Range("1..8")
    @Option(names = "--ports", defaultValue = "2", paramLabel = "N", description = "cndm, corundum: ports (of each interface), 1 to 8; default ${DEFAULT-VALUE}")
    private int ports = 2;

    @Range("0..8192")
    @Option(names = "--queues", defaultValue = "0", paramLabel = "N", description = "corundum: TX and RX queues of each interface, a power of two up to 8192; default 512 and 256")
    private int queues;

    @OneOf({ "may-2024", "december-2023", "micro", "lite", "proto" })
    @Option(names = "--profile", paramLabel = "NAME", description = "corundum: state of the design, may-2024 (default) or december-2023 (scheduler, time stamps); cndm: micro (default), lite, or proto, the teaching card")
    private @Nullable String profile;

    @Range("0s..")
    @Option(names = "--link-delay", defaultValue = "1s", paramLabel = "TIME", description = "corundum: time from a reset, and so from a client's coming, until ports have a link, as transceivers need it; default ${DEFAULT-VALUE}")
    private String linkDelay = "1s";

    @Option(names = "--tdma", description = "corundum: schedulers with the register blocks of time slots, which are stored and not kept")
    private boolean tdma;

    @Range("0..2")
    @Option(names = "--periodic-outputs", defaultValue = "0", paramLabel = "N", description = "corundum: register blocks of the clock's periodic outputs, 0 to 2; default ${DEFAULT-VALUE}")
    private int periodicOutputs;

    @Option(names = "--flash", paramLabel = "KIND:FILE", description = "corundum: a flash with the content of FILE, for reading: "
            + FlashOption.SYNTAX)
    private @Nullable String flash;

    @Option(names = "--mac", paramLabel = "ADDRESS", description = "cndm, corundum: the board has Ethernet addresses for its ports from this one on, as Alveo boards have; default none, of cndm 02:00:00:00:00:01")
    private @Nullable String mac;

    /** Whether the teaching card of cndm was asked for. */
    boolean isProto() {
        return "proto".equals(profile);
    }

    /** How many ports the teaching card is to have. */
    int protoPorts(ModelTiming timing) {
        if (timing == ModelTiming.RTL) {
            throw new Misuse("--config: the profile proto has no timing of its RTL; leave it out");
        }
        return ports;
    }

    /** Design of a cndm that was asked for. */
    CndmConfig buildCndm(ModelTiming timing) {
        CndmConfig config = CndmConfig.MICRO.withPorts(ports).withTiming(timing);
        String address = mac;
        if (address != null) {
            config = config.withMacAddress(Misuse.reading("--mac", () -> MacAddress.parse(address)).value());
        }
        return switch (profile == null ? "micro" : profile) {
            case "micro" -> config;
            case "lite" -> config.lite();
            default -> throw new Misuse("--profile " + profile + " is for --device corundum");
        };
    }

    /** The design that was asked for; a {@link Failure} or {@link IllegalArgumentException} says what does not fit. */
    CorundumConfig build(ModelTiming timing) {
        CorundumConfigBuilder builder = CorundumConfig.builder().interfaces(interfaces).ports(ports)
                .schedulers(Math.clamp(ports, 1, 8)).statistics(interfaces < 4).tdma(tdma)
                .periodicOutputs(periodicOutputs).linkDelayNanos(Durations.parseNanos(linkDelay)).timing(timing)
                .profile(switch (profile == null ? "may-2024" : profile) {
                    case "may-2024" -> CorundumProfile.MAY_2024;
                    case "december-2023" -> CorundumProfile.DECEMBER_2023;
                    default -> throw new Misuse("--profile " + profile + " is for --device cndm");
                });
        if (queues != 0) {
            builder.txQueues(queues).rxQueues(queues).completionQueues(Math.min(16384, Math.max(2, 2 * queues)));
        }
        if (flash != null) {
            builder.flash(FlashOption.parse(flash));
        }
        String address = mac;
        if (address != null) {
            builder.firstMacAddress(Misuse.reading("--mac", () -> MacAddress.parse(address)).value());
        }
        return Misuse.reading("--device corundum", builder::build);
    }
}
