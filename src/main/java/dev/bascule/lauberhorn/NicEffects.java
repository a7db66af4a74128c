package dev.bascule.lauberhorn;

/** Effects that {@link NicDispatch} has on the NIC. Each is called at most once for a load that is held. */
public interface NicEffects {
    /** Answers the thread's held load with a request. */
    void deliver(int thread, int request);

    /** Answers the thread's held load with {@link LineHead#YIELD_NOW}. */
    void yieldNow(int thread);

    /** Answers the core's held kernel load with {@link LineHead#DISPATCH} of the thread, in this life of its endpoint. */
    void dispatch(int core, int thread, int life);

    /** Answers the core's held kernel load with {@link LineHead#RETIRE}. */
    void retire(int core);

    /** Interrupts the core, on which a thread serves a request. */
    void interrupt(int core);

    /** Sends a refusal for an answer; the request is the NIC's again. */
    void refuse(int request, Refusal why);
}
