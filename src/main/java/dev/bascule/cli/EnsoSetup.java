package dev.bascule.cli;

import dev.bascule.config.DeviceKind;
import dev.bascule.config.HardwareConfig;
import dev.bascule.config.HardwareConfigs;
import dev.bascule.config.ModelTiming;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceInfo;
import dev.bascule.nic.Nics;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.run.Failure;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Set-up of an Ensō card before it can be used: the settings of its board, told to the driver and made on the board.
 * They are made after the device was opened, since opening it through VFIO resets it, which clears them.
 */
final class EnsoSetup {
    private static final String DRIVER = "enso";

    @Option(names = "--config", paramLabel = "NAME", description = "configuration: of an Ensō card the settings of its board, and the tool that makes them (default: the one that names the card, enso-stratix10mx); of the model in this process its timing (loopback-rtl; default: it answers at once)")
    private @Nullable String config;

    @Option(names = "--hold", description = "Ensō: wait for Enter once the card is open, and so reset, for settings that are made by hand")
    private boolean hold;

    /** Whether a device is one. */
    static boolean isEnso(DeviceInfo info) {
        return Nics.driver(info.vendorId(), info.deviceId()).filter(driver -> driver.name().equals(DRIVER)).isPresent();
    }

    /**
     * Makes the settings on the board and returns them for the driver.
     *
     * @param real whether hugepages are wanted as configured; simulated cards take any memory
     */
    EnsoConfig prepare(DeviceBacking card, boolean real, PrintWriter err) {
        HardwareConfig.Enso board = settings(card.info());
        if (!board.boardTool().isEmpty()) {
            new BoardTool(board).run(card.info());
        }
        if (hold) {
            hold(card.info(), board, err);
        }
        return new EnsoConfig(board.pipeRingFlits(), board.notificationRingEntries(), board.inflightEntries(),
                board.perPacketNotification(), real && board.hugepages());
    }

    /** When the model in this process answers. */
    ModelTiming timing() {
        String named = config;
        return named == null ? ModelTiming.IMMEDIATE : HardwareConfigs.load(named).timing();
    }

    private static void hold(DeviceInfo card, HardwareConfig.Enso board, PrintWriter err) {
        err.printf(
                "bascule: %s is open and held. Set its board to pipe rings of %d flits, notification rings of %d entries and "
                        + "%d in flight, then press Enter.%n",
                card, board.pipeRingFlits(), board.notificationRingEntries(),
                board.inflightEntries());
        err.flush();
        try {
            int read = System.in.read();
            if (read < 0) {
                throw new Failure("--hold: standard input has ended, so nobody can press Enter");
            }
        } catch (IOException e) {
            throw new Failure("--hold: cannot read standard input: " + e.getMessage(), e);
        }
    }

    private HardwareConfig.Enso settings(DeviceInfo card) {
        String id = "%04x:%04x".formatted(card.vendorId(), card.deviceId());
        String wanted = config;
        if (wanted != null) {
            HardwareConfig found = HardwareConfigs.load(wanted);
            if (found.kind() != DeviceKind.PCI || !found.device().driver().equals(DRIVER)) {
                throw new Failure(
                        "--config " + wanted + ": it is no configuration of an Ensō card (kind pci, driver enso)");
            }
            return found.enso();
        }
        return HardwareConfigs.available().stream().map(HardwareConfigs::load)
                .filter(one -> one.kind() == DeviceKind.PCI && one.device().ids().contains(id)
                        && one.device().driver().equals(DRIVER))
                .map(HardwareConfig::enso).findFirst()
                .orElseThrow(() -> new Failure("no configuration names an Ensō card " + id
                        + "; write one as hw-configs/enso-stratix10mx.yaml and name it: --config FILE"));
    }
}
