package dev.bascule.cli;

import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceBacking;
import dev.bascule.model.WireEnd;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.Nics;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoDriver;
import dev.bascule.run.Misuse;
import dev.bascule.run.TelemetryCard;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The card of a command that moves packets: which one, how it is made ready, and when its ports have a link. */
final class CardSetup {
    @Mixin
    private CardOption card = new CardOption();

    @Mixin
    private EnsoSetup enso = new EnsoSetup();

    @Mixin
    private LinkWait link = new LinkWait();

    @Option(names = "--telemetry", paramLabel = "PREFIX", description = "let DPDK's tools see the ports "
            + "(dpdk-telemetry.py -f "
            + "PREFIX, dpdk-telemetry-exporter.py): a socket of DPDK's telemetry in the folder of that name, "
            + "rte for tools "
            + "that are not told one")
    private @Nullable String telemetry;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    CardOption card() {
        return card;
    }

    LinkWait link() {
        return link;
    }

    /** Makes the board of an Ensō card that is open ready; what its driver must be told. */
    EnsoConfig prepare(DeviceBacking backing) {
        return enso.prepare(backing, card.isAddress(), command.commandLine().getErr());
    }

    /** When a model in this process answers. */
    ModelTiming timing() {
        return enso.timing();
    }

    /** Opens it without a driver; {@code wires} is what the model's ports are plugged into. */
    DeviceBacking openBacking(List<WireEnd> wires) {
        return card.open(wires, enso.timing());
    }

    /** Opens it with the driver for its id; {@code wires} is what the model's ports are plugged into. */
    NicAdapter open(List<WireEnd> wires) {
        if (telemetry != null && !telemetry.matches("[A-Za-z0-9][A-Za-z0-9_.-]*")) {
            throw new Misuse("--telemetry '" + telemetry + "': a name of letters, digits, '_', '.' and '-'");
        }
        if (card.isDpdk()) {
            return seen(DpdkPorts.open(card.device()));
        }
        DeviceBacking backing = openBacking(wires);
        try {
            return seen(EnsoSetup.isEnso(backing.info())
                    ? EnsoDriver.open(backing, prepare(backing))
                    : Nics.open(backing));
        } catch (RuntimeException e) {
            backing.close();
            throw e;
        }
    }

    /** Refuses {@code --telemetry} where nothing is there that its tools could see. */
    void requireNoTelemetry(String why) {
        if (telemetry != null) {
            throw new Misuse("--telemetry: " + why);
        }
    }

    /** A card with the socket that was asked for. */
    NicAdapter seen(NicAdapter opened) {
        return telemetry == null ? opened : TelemetryCard.open(opened, telemetry, "bascule " + Version.version());
    }

    /** Looks whether the card still answers, and says how its links are. */
    void check(NicAdapter adapter) {
        adapter.check();
        link.check(command.commandLine().getErr());
    }
}
