package dev.bascule.cli;

import dev.bascule.app.Pace;
import java.util.function.LongSupplier;

/**
 * The pace of frames that wait for room: as another one, but with no more on their way than fit everywhere. Frames of
 * which nothing has come back for a second are taken to be lost, so that a real loss does not end the replay.
 */
final class WaitingPace implements Pace {
    private final Pace pace;
    private final int window;
    private final LongSupplier back;
    private long lost;
    private long lastBack;
    private long changedNanos;

    /**
     * @param pace when frames are due
     * @param window most frames on their way
     * @param back frames that came back
     */
    WaitingPace(Pace pace, int window, LongSupplier back) {
        this.pace = pace;
        this.window = window;
        this.back = back;
    }

    @Override
    public int due(long elapsedNanos, long sent, int most) {
        long now = back.getAsLong();
        long room = window - (sent - lost - now);
        if (now != lastBack || room > 0) {
            lastBack = now;
            changedNanos = elapsedNanos;
        } else if (elapsedNanos - changedNanos > Drain.SILENT_NANOS) {
            lost = sent - now;
            changedNanos = elapsedNanos;
        }
        return pace.due(elapsedNanos, sent, (int) Math.clamp(room, 0, most));
    }
}
