package dev.bascule.model;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Frames that were lost: where, why, and how many. Places that lost none are not named.
 *
 * @param places in the order in which a frame passes them
 */
public record Losses(List<Place> places) {
    /** Nothing was lost. */
    public static final Losses NONE = new Losses(List.of());

    /**
     * One place and one reason.
     *
     * @param where such as {@code port 0}, {@code queue 3} or {@code pipe 8191}
     * @param lack what was missing, such as {@code no descriptor}
     * @param frames how many, at least 1
     */
    public record Place(String where, String lack, long frames) {}

    /** Copies the list. */
    public Losses {
        places = List.copyOf(places);
    }

    /** These and {@code frames} more at a place; unchanged if that is 0. */
    public Losses plus(String where, String lack, long frames) {
        return frames == 0 ? this : plus(new Losses(List.of(new Place(where, lack, frames))));
    }

    /** Both together. */
    public Losses plus(Losses other) {
        if (other.isEmpty()) {
            return this;
        }
        Map<List<String>, Long> sums = new LinkedHashMap<>();
        for (Losses one : List.of(this, other)) {
            one.places.forEach(place -> sums.merge(List.of(place.where, place.lack), place.frames, Long::sum));
        }
        List<Place> all = new ArrayList<>();
        sums.forEach((place, frames) -> all.add(new Place(place.get(0), place.get(1), frames)));
        return new Losses(all);
    }

    /** Whether nothing was lost. */
    public boolean isEmpty() {
        return places.isEmpty();
    }

    /** Frames lost at all places. */
    public long total() {
        return places.stream().mapToLong(Place::frames).sum();
    }

    /** For people: {@code port 0, no room: 5; queue 3, no descriptor: 7}, or {@code nowhere seen}. */
    @Override
    public String toString() {
        return isEmpty()
                ? "nowhere seen"
                : places.stream().map(place -> place.where + ", " + place.lack + ": " + place.frames)
                        .collect(Collectors.joining("; "));
    }
}
