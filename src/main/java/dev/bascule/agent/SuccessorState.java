package dev.bascule.agent;

/** What a fenced agent knows of the one that was to take its place. */
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
