package dev.bascule.config;

/**
 * One thing wrong with a file, at the place a person must look at.
 *
 * @param file
 *            the file as the user named it
 * @param line
 *            counted from 1
 * @param column
 *            counted from 1
 * @param message
 *            what is wrong and what to write instead
 */
public record ConfigProblem(String file, int line, int column, String message) {
    @Override
    public String toString() {
        return file + ":" + line + ":" + column + ": " + message;
    }
}
