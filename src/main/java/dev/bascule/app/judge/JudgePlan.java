package dev.bascule.app.judge;

import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Card to be judged, and how.
 *
 * @param card opens the card; called for each part
 * @param peer opens the card at the other end of the cable; null: the far end is a port of the card
 * @param port that sends
 * @param farPort that receives, of the peer if there is one; -1: found by sending
 * @param queues of each port
 * @param seed of all frames
 * @param frames of the long run
 * @param rounds of the parts that do one thing again and again
 * @param patienceNanos without a frame before what is missing is lost
 * @param links waits until started ports have a link
 * @param driver starts a process that drives the card until it is killed, see {@link Victim},
 *     with the far port that was found; null: there is none
 * @param server that serves the card and may be killed; null: there is none
 * @param progress gets a line for each part that begins
 * @param isStopped whether the user wants it to end
 */
public record JudgePlan(Supplier<NicAdapter> card, @Nullable Supplier<NicAdapter> peer, int port, int farPort,
        int queues, long seed, long frames, int rounds, long patienceNanos, Consumer<List<Nic>> links,
        @Nullable IntFunction<ProcessBuilder> driver, @Nullable KillableServer server, Consumer<String> progress,
        BooleanSupplier isStopped) {}
