package dev.bascule.run;

import dev.bascule.model.Losses;
import dev.bascule.nic.Nic;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Received frames that were lost at the queues of a port, as its driver counts them. */
public final class QueueLosses {
    private static final Pattern TOO_LONG = Pattern.compile("rx_queue_(\\d+)_too_long");
    private static final Pattern RAN_DRY = Pattern.compile("rx_queue_(\\d+)_ran_dry");

    private QueueLosses() {}

    /**
     * Losses by queue, and by port if there are several.
     *
     * @param modelled the model in this process counts each frame that met an empty ring; of another card only the times
     *     are known at which its driver found a ring empty
     */
    static Losses of(List<Nic> ports, boolean modelled) {
        Losses losses = Losses.NONE;
        for (int port = 0; port < ports.size(); port++) {
            String prefix = ports.size() == 1 ? "queue " : "port " + port + " queue ";
            losses = losses.plus(of(prefix, ports.get(port).statistics(), modelled));
        }
        return losses;
    }

    static Losses of(String prefix, Map<String, Long> statistics, boolean modelled) {
        Losses losses = Losses.NONE;
        for (Map.Entry<String, Long> one : statistics.entrySet()) {
            Matcher tooLong = TOO_LONG.matcher(one.getKey());
            Matcher ranDry = RAN_DRY.matcher(one.getKey());
            if (tooLong.matches()) {
                losses = losses.plus(prefix + tooLong.group(1), "too long", one.getValue());
            } else if (!modelled && ranDry.matches()) {
                losses = losses.plus(prefix + ranDry.group(1), "ring ran dry (times)", one.getValue());
            }
        }
        return losses;
    }
}
