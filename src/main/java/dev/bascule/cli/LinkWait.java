package dev.bascule.cli;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.Nic;
import dev.bascule.registry.Durations;
import dev.bascule.run.Progress;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Option;

/** Ports are used once they have a link; what becomes of the link later is said. */
final class LinkWait {
    private static final long LOOK_NANOS = 20_000_000;
    private static final long SAY_NANOS = 2_000_000_000;
    private static final String REASONS = "look at the transceiver (seated, of the right speed), the cable, the other end"
            + " (there and up?) and error correction (FEC alike at both ends; 100G mostly wants RS-FEC); to go on without"
            + " a link: --link-wait 0s";

    @Range("0s..")
    @Option(names = "--link-wait", defaultValue = "10s", paramLabel = "TIME", description = "how long ports may take until they have a link, after a reset some seconds; 0s: do not wait; default ${DEFAULT-VALUE}")
    private String limit = "10s";

    private List<Nic> ports = List.of();
    private boolean[] up = {};

    /**
     * Returns when all of these started ports, of one card whose time counts, have a link; {@link DeviceException} with the usual reasons if
     * one has none.
     */
    void await(List<Nic> started) {
        long nanos = Durations.parseNanos(limit);
        Patience patience = new Patience(nanos, () -> started.getFirst().nanoTime(), () -> 0);
        long began = System.nanoTime();
        Progress progress = new Progress(System.err);
        for (Nic port : nanos == 0 ? List.<Nic>of() : started) {
            boolean said = false;
            while (!port.link().up()) {
                if (patience.isOver()) {
                    throw new DeviceException("wait for a link", port.name(), "there is none after " + limit, REASONS);
                }
                if (!said && System.nanoTime() - began > SAY_NANOS) {
                    said = true;
                    progress.say("waiting for a link: " + port.name());
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
        ports = started;
        up = new boolean[started.size()];
        for (int i = 0; i < up.length; i++) {
            up[i] = started.get(i).link().up();
        }
    }

    /** Says which links went down or came up since. */
    void check(PrintWriter err) {
        for (int i = 0; i < up.length; i++) {
            boolean now = ports.get(i).link().up();
            if (now != up[i]) {
                up[i] = now;
                err.println("bascule: " + ports.get(i).name() + ": the link is " + (now ? "up again" : "down"));
                err.flush();
            }
        }
    }
}
