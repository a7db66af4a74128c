package dev.bascule.run;

import dev.bascule.app.Pace;
import java.util.function.LongSupplier;

/**
 * The pace of frames that wait for room: as another one, but with no more on their way than fit everywhere. Frames of
 * which nothing comes back any more are taken to be lost, so that a real loss does not end the replay.
 */
public final class WaitingPace implements Pace {
    private final Pace pace;
    private final int window;
    private final LongSupplier back;
    private final Drain silence;
    private long lost;
    private long lastBack;

    /**
     * @param pace when frames are due
     * @param window most frames on their way
     * @param back frames that came back
     * @param silence when those on their way are taken to be lost
     */
    public WaitingPace(Pace pace, int window, LongSupplier back, Drain silence) {
        this.pace = pace;
        this.window = window;
        this.back = back;
        this.silence = silence;
    }

    @Override
    public int due(long elapsedNanos, long sent, int most) {
        long now = back.getAsLong();
        long room = window - (sent - lost - now);
        boolean heard = now != lastBack || room > 0;
        lastBack = now;
        if (silence.isOver(heard)) {
            lost = sent - now;
        }
        return pace.due(elapsedNanos, sent, (int) Math.clamp(room, 0, most));
    }
}
