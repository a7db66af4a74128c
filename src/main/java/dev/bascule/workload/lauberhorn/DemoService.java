package dev.bascule.workload.lauberhorn;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.RpcCall;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.util.List;

/**
 * The service of {@code bascule lauberhorn serve}: what loads call. Any number of them may be there, program {@link
 * #PROGRAM} and up; each checks that the requests it gets are its own.
 */
public final class DemoService {
    /** Program of the first. */
    public static final int PROGRAM = 0x2000_4c42;
    /** Procedure: owner, number, time to work (ns), filling; returns owner and number. */
    public static final int WORK = 1;
    /** Procedure: two numbers; returns their sum. */
    public static final int ADD = 2;
    /** Procedure: opaque data; returns them. */
    public static final int ECHO = 3;
    /** Procedure: a name; returns a greeting. */
    public static final int GREET = 4;
    /** Signature of {@link #WORK}. */
    public static final Signature WORK_SIGNATURE = new Signature(
            List.of(ValueType.LONG, ValueType.LONG, ValueType.LONG, ValueType.OPAQUE),
            List.of(ValueType.LONG, ValueType.LONG));
    private static final Signature ADD_SIGNATURE = new Signature(List.of(ValueType.LONG, ValueType.LONG),
            List.of(ValueType.LONG));
    private static final Signature ECHO_SIGNATURE = new Signature(List.of(ValueType.OPAQUE),
            List.of(ValueType.OPAQUE));
    private static final Signature GREET_SIGNATURE = new Signature(List.of(ValueType.STRING),
            List.of(ValueType.STRING));

    private DemoService() {}

    /** The service number {@code which}, from 0. */
    public static JavaService number(int which) {
        return JavaService.empty(PROGRAM + which, 1).with(WORK, "work", WORK_SIGNATURE, call -> work(call, which))
                .with(ADD, "add", ADD_SIGNATURE, call -> call.setLong(0, call.longAt(0) + call.longAt(1)))
                .with(ECHO, "echo", ECHO_SIGNATURE, DemoService::echo)
                .with(GREET, "greet", GREET_SIGNATURE, call -> call.setString(0, "Hello, " + call.stringAt(0) + "!"));
    }

    private static void work(RpcCall call, int which) {
        if (call.longAt(0) != which) {
            throw new IllegalStateException("service " + which + " got a request of service " + call.longAt(0));
        }
        long nanos = call.longAt(2);
        if (nanos > 0) {
            long until = System.nanoTime() + nanos;
            while (System.nanoTime() - until < 0) {
                call.yieldPoint();
            }
        }
        call.setLong(0, which);
        call.setLong(1, call.longAt(1));
    }

    private static void echo(RpcCall call) {
        byte[] data = call.opaqueAt(0);
        call.setOpaque(0, data, 0, data.length);
    }
}
