package dev.bascule.cli;

import dev.bascule.nic.NicAdapter;
import dev.bascule.run.Misuse;
import picocli.CommandLine.Option;

/** Port of a card that a command uses. */
final class PortOption {
    @Range("0..")
    @Option(names = "--port", defaultValue = "0", paramLabel = "N", description = "port of the card; default ${DEFAULT-VALUE}")
    private int port;

    /** The number, before the card is known. */
    int number() {
        return port;
    }

    /** The number, if the card has such a port; else a wrong use of the command, with what there is. */
    int of(NicAdapter card) {
        if (port >= card.ports()) {
            throw new Misuse("--port " + port + ": " + card.name() + " has "
                    + (card.ports() == 1 ? "one port, 0" : card.ports() + " ports, 0 to " + (card.ports() - 1)));
        }
        return port;
    }
}
