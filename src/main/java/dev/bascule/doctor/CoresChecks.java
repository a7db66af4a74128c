package dev.bascule.doctor;

import dev.bascule.config.CardConfig;
import dev.bascule.config.HardwareConfig;
import dev.bascule.device.DeviceException;
import dev.bascule.host.CardPlace;
import dev.bascule.nic.smartnic.CardCores;
import java.util.ArrayList;
import java.util.List;

/** Whether a card's region can be reached from these cores. */
public final class CoresChecks {
    private CoresChecks() {}

    /** Findings on the card that a configuration describes, by the name that the user gave. */
    public static List<Finding> of(HardwareConfig config, String name) {
        CardConfig card = config.card();
        List<Finding> found = new ArrayList<>();
        if (card.cores().memory() == CardConfig.Memory.NONE) {
            found.add(Finding.optional("card's cores", "the configuration " + config.name()
                    + " names no way from here; agents are elsewhere", "set 'cores' in it, on the card"));
            return found;
        }
        try (CardCores cores = CardCores.open(card)) {
            found.add(Finding.ok("card's cores", cores + ", " + cores.sizeBytes() / 1024 + " KiB"));
            String laid = CardPlace.laidOut(cores);
            found.add(laid.isEmpty()
                    ? Finding.optional("host", "none has laid the region out yet",
                            "on the host: bascule run --device " + name + " --external-agent")
                    : Finding.ok("host", laid));
        } catch (DeviceException e) {
            found.add(Finding.missing("card's cores", String.valueOf(e.getMessage()), "see 'cores' in " + name));
        }
        return found;
    }
}
