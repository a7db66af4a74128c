package dev.bascule.memory;

/** Mapping that all of its pinned parts share: they keep it mapped while they can be reached, and learn of its end. */
final class Mapping {
    /** Whether the owner has closed it; it is still mapped then. A late look is harmless, so it is a plain field. */
    boolean closed;
}
