package dev.bascule.run;

import dev.bascule.nic.Nic;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.Refusal;
import dev.bascule.nic.TxQueue;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Account of frames, in the same words and with the same exit status for every command.
 *
 * @param sent frames sent
 * @param received frames of them that arrived, when nothing is on its way any more
 * @param losses where frames were lost, as far as it is known
 */
public record Delivery(long sent, long received, Losses losses) {
    /**
     * Account of a station's frames: stops the station and calls {@code round} until each frame is accounted for.
     *
     * @param back frames that arrived so far
     * @param losses where frames were lost so far
     * @param round lets the program do a little more, and says how much it did
     */
    public static Delivery afterAll(TrafficWire station, LongSupplier back, Supplier<Losses> losses,
            IntSupplier round) {
        station.stop();
        new Drain(System::nanoTime).until(station::sent, () -> back.getAsLong() + losses.get().total(), round);
        return new Delivery(station.sent(), back.getAsLong(), losses.get());
    }

    /** For traffic that came from outside, whose sender cannot be asked. */
    public static Delivery ofProgram(long came, Losses losses) {
        return new Delivery(came, came - losses.total(), losses);
    }

    /** With losses at further places. */
    public Delivery and(Losses further) {
        return new Delivery(sent, received, losses.plus(further));
    }

    /** Never less than what is known to be lost somewhere. */
    long lost() {
        return Math.max(losses.total(), sent - received);
    }

    /** Adds what was lost and where. */
    public Summary describe(Summary summary) {
        return describe(summary, lost(), losses);
    }

    /** Adds what was lost and where; for frames whose number sent is not known. */
    public static Summary describe(Summary summary, long lost, Losses losses) {
        return summary.put("lost", lost).put("lost where", losses);
    }

    /** Frames that a program had to drop itself. */
    public static Losses byProgram(long noRoom) {
        return Losses.NONE.plus("program", "no room to send", noRoom);
    }

    /** Frames that loops dropped whose processors send all that is long enough: no room, or no Ethernet frame. */
    public static Losses byLoops(List<ProcessorLoop> loops) {
        return byProgram(loops.stream().mapToLong(ProcessorLoop::noRoom).sum()).plus("program",
                Refusal.TOO_SHORT.text(),
                loops.stream().mapToLong(ProcessorLoop::dropped).sum());
    }

    /**
     * Frames that ports could not receive, and those that they refused to send, by reason; see {@link TxQueue#refused}.
     *
     * @param modelled see {@link QueueLosses#of(List, boolean)}
     */
    public static Losses byPorts(List<Nic> ports, boolean modelled) {
        Losses all = QueueLosses.of(ports, modelled);
        for (Nic port : ports) {
            Map<String, Long> counts = port.statistics();
            all = all.plus("port", "no descriptor", counts.getOrDefault("device_rx_missed", 0L))
                    .plus("port", "no buffer", counts.getOrDefault("device_rx_no_buffer", 0L))
                    .plus("port", "damaged, or no packet", counts.getOrDefault("rx_errors", 0L));
            for (int i = 0; i < port.txQueues(); i++) {
                all = all.plus(refused(port.txQueue(i)));
            }
        }
        return all;
    }

    /** Frames that a queue refused to send, by reason. */
    static Losses refused(TxQueue queue) {
        Losses all = Losses.NONE;
        for (Refusal reason : Refusal.values()) {
            all = all.plus("port", reason.text(), queue.refused().count(reason));
        }
        return all;
    }

    /** Frames of which the port has not said that it sent them, once they had time to leave; for the queues' thread. */
    public static Losses unsent(List<Nic> ports) {
        List<TxQueue> queues = ports.stream()
                .flatMap(port -> IntStream.range(0, port.txQueues()).mapToObj(port::txQueue)).toList();
        new Drain(ports.getFirst()::nanoTime).until(() -> 0, () -> -queues.stream().mapToLong(TxQueue::inFlight).sum(),
                () -> queues.stream().mapToInt(TxQueue::reclaim).sum());
        return Losses.NONE.plus("port", "not sent in time", queues.stream().mapToLong(TxQueue::inFlight).sum());
    }

    /** 1 if frames were lost. */
    public int status() {
        return lost() > 0 ? Errors.FAILED : status(losses);
    }

    /** Exit status: 0, or that it could not be done if frames were lost. */
    public static int status(Losses losses) {
        return losses.isEmpty() ? 0 : Errors.FAILED;
    }

    /** Each place with what there was none of and how many frames. */
    static Json.Arr places(Losses losses) {
        return Json.array(losses.places(), place -> Json.object().put("where", place.where())
                .put("lack", place.lack()).put("frames", place.frames()));
    }
}
