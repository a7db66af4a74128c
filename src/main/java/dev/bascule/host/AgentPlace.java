package dev.bascule.host;

/**
 * Where an agent was that did not come back in time.
 *
 * @param text for the report
 * @param isIdle it was in none of its policy's code and could run: the machine may have had no time for it
 * @param isPolicys it was in its policy's code
 */
public record AgentPlace(String text, boolean isIdle, boolean isPolicys) {
    /** Of an agent that was not in its policy's code. */
    public AgentPlace(String text, boolean isIdle) {
        this(text, isIdle, false);
    }
}
