package dev.bascule.model.replay;

import java.util.List;

/**
 * How a recorded run went on a model.
 *
 * @param name name of the run
 * @param stimuli lines applied
 * @param expectations lines compared
 * @param differences what differs, each with its line; at most as many as the replay was told to keep
 * @param differenceCount all differences, also those not kept
 */
public record ReplayResult(String name, int stimuli, int expectations, List<String> differences, int differenceCount) {
    /** Copies the list. */
    public ReplayResult {
        differences = List.copyOf(differences);
    }

    /** Whether nothing differs. */
    public boolean passed() {
        return differenceCount == 0;
    }
}
