package dev.bascule.workload.lauberhorn;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.RpcCall;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.util.List;
import java.util.function.IntBinaryOperator;

/**
 * The port mapper (RFC 1833): program 100000, by which {@code rpcinfo} and others' clients find the port of a service. Version
 * 2 knows {@code GETPORT}, versions 3 and 4 {@code GETADDR}; nothing can be set from outside.
 */
public final class RpcBind {
    private static final int PROGRAM = 100_000;
    private static final int GETPORT = 3;
    private static final int GETADDR = 3;
    private static final int UDP = 17;
    private static final Signature GETPORT_SIGNATURE = new Signature(
            List.of(ValueType.INT, ValueType.INT, ValueType.INT, ValueType.INT), List.of(ValueType.INT));
    private static final Signature GETADDR_SIGNATURE = new Signature(
            List.of(ValueType.INT, ValueType.INT, ValueType.STRING, ValueType.STRING, ValueType.STRING),
            List.of(ValueType.STRING));

    private RpcBind() {}

    /**
     * Services of rpcbind, in its three versions.
     *
     * @param ipv4 address that they tell
     * @param ports UDP port of a program and version; 0 if there is none
     */
    public static List<JavaService> services(int ipv4, IntBinaryOperator ports) {
        return List.of(
                JavaService.empty(PROGRAM, 2).with(GETPORT, "getport", GETPORT_SIGNATURE, call -> port(call, ports)),
                JavaService.empty(PROGRAM, 3).with(GETADDR, "getaddr", GETADDR_SIGNATURE,
                        call -> address(call, ipv4, ports)),
                JavaService.empty(PROGRAM, 4).with(GETADDR, "getaddr", GETADDR_SIGNATURE,
                        call -> address(call, ipv4, ports)));
    }

    private static void port(RpcCall call, IntBinaryOperator ports) {
        call.setInt(0, call.intAt(2) == UDP ? ports.applyAsInt(call.intAt(0), call.intAt(1)) : 0);
    }

    /** A universal address: the four numbers of the address and the two bytes of the port. */
    private static void address(RpcCall call, int ipv4, IntBinaryOperator ports) {
        int port = call.stringAt(2).equals("udp") ? ports.applyAsInt(call.intAt(0), call.intAt(1)) : 0;
        call.setString(0, port == 0
                ? ""
                : (ipv4 >>> 24) + "." + (ipv4 >>> 16 & 0xff) + "." + (ipv4 >>> 8 & 0xff) + "." + (ipv4 & 0xff) + "."
                        + (port >>> 8) + "." + (port & 0xff));
    }
}
