package dev.bascule.host.lauberhorn;

/**
 * Serves the requests of one procedure without objects in between: arguments are read where they lie, results are written
 * where they leave.
 */
@FunctionalInterface
public interface RpcHandler {
    /**
     * Serves a request, on the core that took its line. What it throws is a refusal for the client, and is counted.
     *
     * @param call valid until this returns
     */
    void handle(RpcCall call);
}
