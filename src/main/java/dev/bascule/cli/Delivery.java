package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.model.Losses;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What became of frames, in the same words and with the same exit status for every command.
 *
 * @param sent frames sent
 * @param received frames of them that arrived, when nothing is on its way any more
 * @param losses where frames were lost, as far as it is known
 */
record Delivery(long sent, long received, Losses losses) {
    /**
     * What became of a station's frames: it sends no more, and {@code round} goes on until each is accounted for.
     *
     * @param back frames that arrived so far
     * @param losses where frames were lost so far
     * @param round lets the program do a little more, and says how much it did
     */
    static Delivery afterAll(TrafficWire station, LongSupplier back, Supplier<Losses> losses, IntSupplier round) {
        station.stop();
        Drain.until(station::sent, () -> back.getAsLong() + losses.get().total(), round);
        return new Delivery(station.sent(), back.getAsLong(), losses.get());
    }

    /** For traffic that came from outside, whose sender cannot be asked. */
    static Delivery ofProgram(long came, long noRoom) {
        return new Delivery(came, came - noRoom, byProgram(noRoom));
    }

    /** With losses at further places. */
    Delivery and(Losses further) {
        return new Delivery(sent, received, losses.plus(further));
    }

    long lost() {
        return Math.max(0, sent - received);
    }

    /** Adds what was lost and where. */
    Summary describe(Summary summary) {
        return describe(summary, lost(), losses);
    }

    /** The same without a count of what was sent. */
    static Summary describe(Summary summary, long lost, Losses losses) {
        return summary.put("lost", lost).put("lost where", losses);
    }

    /** Frames that a program had to drop itself. */
    static Losses byProgram(long noRoom) {
        return Losses.NONE.plus("program", "no room to send", noRoom);
    }

    /** 1 if frames were lost. */
    int status() {
        return lost() > 0 ? Errors.FAILED : status(losses);
    }

    static int status(Losses losses) {
        return losses.isEmpty() ? 0 : Errors.FAILED;
    }

    /** Each place with what there was none of and how many frames. */
    static Json.Arr places(Losses losses) {
        return Json.array(losses.places(), place -> Json.object().put("where", place.where())
                .put("lack", place.lack()).put("frames", place.frames()));
    }
}
