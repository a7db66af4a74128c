package dev.bascule.model.corundum.replay;

/**
 * Where model and hardware part.
 *
 * @param line line of the vector file, from 1
 * @param text what was expected and what the model did
 */
record Difference(int line, String text) {
    @Override
    public String toString() {
        return "line " + line + ": " + text;
    }
}
