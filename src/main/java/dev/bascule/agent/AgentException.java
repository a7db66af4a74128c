package dev.bascule.agent;

/** A control-path failure of enclave, agent or transport: says the step, the object and what to do. */
public class AgentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With the whole message. */
    public AgentException(String message) {
        super(message);
    }

    /** With the whole message and its cause. */
    public AgentException(String message, Throwable cause) {
        super(message, cause);
    }
}
