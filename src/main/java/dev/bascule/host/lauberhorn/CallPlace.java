package dev.bascule.host.lauberhorn;

/** Where the arguments of a call lie, and the machine that serves it. Thread rule: the thread that serves. */
interface CallPlace {
    /** A word of the arguments. */
    long payload(int word);

    /** Bytes of all arguments. */
    int bytes();

    /** Word that the service asked to have handed over. */
    long dataPointer();

    /** Number of the process that serves. */
    int owner();

    /** Where another thread may have the core. */
    void yieldPoint();

    /** Calls to other services. */
    NestedClient client();
}
