package dev.bascule.app.judge;

/** The process that serves the card; it is killed and started as a part of the test. */
public interface KillableServer {
    /** Starts it, and waits until it can be connected to. */
    void start();

    /** Kills it at once, as kill -9 does, and waits for its end. */
    void kill();
}
