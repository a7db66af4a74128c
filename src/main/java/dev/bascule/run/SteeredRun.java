package dev.bascule.run;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.local.LocalProtocol;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.workload.lauberhorn.CountedLosses;
import dev.bascule.workload.lauberhorn.RpcChannel;
import dev.bascule.workload.lauberhorn.RpcLoad;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Calls in this process to services behind the driver and the model of a card, steered over one transport. */
public final class SteeredRun {
    /** UDP port of services at an address of their own. */
    public static final int RPC_PORT = 700;
    /** Ethernet address as which a NIC listens. */
    public static final long MAC = 0x0200_4c42_0001L;

    /** Number of clients. */
    public static final int CLIENTS = 8;

    /** Time that a client waits for an answer, ns. */
    public static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final int IPV4 = 0x0a07_0001;
    private static final int FIRST_PORT = 5_000;
    private static final int RING_ENTRIES = 1_024;

    private SteeredRun() {}

    /**
     * Counts of a run: CPU time, decisions of the host itself, agents killed and replaced.
     *
     * @param link over which
     * @param cpu ns of the handlers' cores, the front and the agent
     * @param alone decisions of the host itself
     * @param kills agents killed on purpose
     * @param fences agents replaced
     */
    public record Use(String link, long[] cpu, long alone, long kills, long fences) {
        /** CPU time of front and agent, ns. */
        public long steering() {
            return cpu[1] + cpu[2];
        }

        /** CPU time of the host, ns: front and agent are its own, or stand for cores of a NIC. */
        public long host() {
            return cpu[0] + (link.equals(LocalProtocol.NAME) ? steering() : 0);
        }
    }

    /**
     * Plays a load.
     *
     * @param early goes before and is not counted: what is not compiled yet is no property of a transport
     * @param over whether to end early
     */
    public static Use play(SteeringServer.Plan plan, List<JavaService> services, RpcLoad early, RpcLoad load,
            BooleanSupplier over) {
        List<WireEnd> cable = Cables.cross();
        NicAddress address = NicAddress.of(MAC, IPV4);
        CorundumModel model = new CorundumModel(CorundumConfig.builder().build(),
                List.of(cable.get(0), WireEnd.OPEN), true);
        try (NicAdapter adapter = Nics.open(LoopbackDevice.open(model))) {
            Nic port = adapter.openPort(0, NicOptions.DEFAULTS.withRingEntries(RING_ENTRIES));
            port.start();
            try (SteeringServer server = new SteeringServer(plan, port, address, services)) {
                try (RpcChannel clients = clients(cable.get(1), early, model)) {
                    early.over(clients).run(over, PATIENCE_NANOS);
                }
                server.beginCounting();
                try (RpcChannel clients = clients(cable.get(1), load, model)) {
                    load.over(clients).run(over, PATIENCE_NANOS);
                }
                return new Use(plan.link(), server.cpuSince(), server.decidedAlone(), server.kills(), server.fences());
            }
        }
    }

    /** A card whose ring is full, for the front has no core, loses frames and counts them. */
    private static RpcChannel clients(WireEnd wire, RpcLoad load, CorundumModel card) {
        List<UdpFlow> flows = IntStream.range(0, CLIENTS).mapToObj(i -> WireClient.flow(MAC + 1, IPV4 + 1,
                FIRST_PORT + i, MAC, IPV4, RPC_PORT)).toList();
        return new CountedLosses(new WireClient(wire, flows, load::reply), () -> card.losses().total());
    }
}
