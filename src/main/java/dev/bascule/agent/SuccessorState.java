package dev.bascule.agent;

/** State of the agent that was to take a fenced one's place, as the fenced one knows it. */
public enum SuccessorState {
    /** There is none, or the host has ended. */
    NONE,
    /** It takes over just now. */
    STARTING,
    /** It decides. */
    AT_WORK,
    /** It did not get ready, and the host has opened another epoch for this agent. */
    FAILED
}
