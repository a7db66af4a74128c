package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.CoreGate;
import dev.bascule.model.lauberhorn.LineMemory;
import dev.bascule.model.lauberhorn.Procedure;
import dev.bascule.model.lauberhorn.Service;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process that serves RPCs, as the kernel has it: its number, its services, its memory, and the body that does the work:
 * threads of this JVM, or a process of the operating system.
 * <p>
 * Thread rule: any thread.
 */
public final class RpcProcess implements AutoCloseable {
    /** Body that does the work. */
    interface Body {
        /** Wakes a thread of it. */
        Sleeper sleeper(int threadOfProcess);

        /** Ends it at once, whatever it does. */
        void kill();

        /** Ends it after what it does now. */
        void stop();

        /** Whether it is there. */
        boolean isAlive();

        /** Requests that its handlers served and, in the second place, failed to; null if only it knows. */
        default long @Nullable [] served() {
            return null;
        }

        /** Why handlers failed, newest last; empty if only the process knows. */
        default List<String> failures() {
            return List.of();
        }
    }

    private final LauberhornHost host;
    private final int number;
    private final String name;
    private final List<JavaService> services;
    private final LineMemory memory;
    private final Body body;
    private final int firstThread;
    private final CoreGate[] gates;
    private volatile boolean gone;
    private volatile boolean forgotten;

    RpcProcess(LauberhornHost host, int number, String name, List<JavaService> services, LineMemory memory, Body body,
            int firstThread) {
        this.host = host;
        this.number = number;
        this.name = name;
        this.services = List.copyOf(services);
        this.memory = memory;
        this.body = body;
        this.firstThread = firstThread;
        gates = new CoreGate[memory.layout().threads()];
        for (int i = 0; i < gates.length; i++) {
            gates[i] = new CoreGate(memory.nic(), memory.layout().gate(i));
        }
    }

    /** The handlers of services, by code pointer: the order in which {@link #rows} numbers them. */
    static RpcHandler[] handlers(List<JavaService> services) {
        List<RpcHandler> all = new ArrayList<>();
        services.forEach(service -> service.procedures().forEach(procedure -> all.add(procedure.handler())));
        return all.toArray(RpcHandler[]::new);
    }

    /** Rows of the NIC's table. */
    static List<Service> rows(List<JavaService> services) {
        List<Service> rows = new ArrayList<>();
        int code = 0;
        for (JavaService service : services) {
            List<Procedure> procedures = new ArrayList<>();
            for (JavaService.Procedure procedure : service.procedures()) {
                procedures.add(new Procedure(procedure.number(), code++, procedure.signature()));
            }
            rows.add(new Service(service.program(), service.version(), rows.size(), procedures));
        }
        return rows;
    }

    /** Number of the process: the owner of its lines. */
    public int number() {
        return number;
    }

    /** Name of the process. */
    public String name() {
        return name;
    }

    /** Services of the process. */
    public List<JavaService> services() {
        return services;
    }

    CoreGate gate(int thread) {
        return gates[thread - firstThread];
    }

    Sleeper sleeper(int thread) {
        return body.sleeper(thread - firstThread);
    }

    Body body() {
        return body;
    }

    LineMemory memory() {
        return memory;
    }

    /** Whether it is gone. */
    public boolean isGone() {
        return gone;
    }

    void setGone() {
        gone = true;
    }

    /** The NIC knows nothing of it any more. */
    void setForgotten() {
        forgotten = true;
    }

    boolean isForgotten() {
        return forgotten;
    }

    /** Requests served by its handlers; -1 if it is a process of its own. */
    public long served() {
        long[] both = body.served();
        return both == null ? -1 : both[0];
    }

    /** Failures of its handlers, newest last, at most one a thread. */
    public List<String> failures() {
        return body.failures();
    }

    /** Ends it at once: what it serves or has queued is refused. */
    public void kill() {
        body.kill();
        host.ended(this);
    }

    /** Ends it: requests that it serves end first; what it has queued is refused. */
    @Override
    public void close() {
        host.leave(this);
    }

    @Override
    public String toString() {
        return "process " + number + " (" + name + ")";
    }
}
