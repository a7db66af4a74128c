package dev.bascule.model.replay;

/**
 * Point where model and hardware part.
 *
 * @param line line of the vector file, from 1
 * @param text what was expected and what the model did
 */
public record Difference(int line, String text) {
    @Override
    public String toString() {
        return "line " + line + ": " + text;
    }
}
