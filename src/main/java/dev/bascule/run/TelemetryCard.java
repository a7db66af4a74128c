package dev.bascule.run;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Door;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.UnixListener;
import dev.bascule.ffi.UnixSocket;
import dev.bascule.json.Json;
import dev.bascule.nic.LinkState;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.rpc.UdpDecoder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * A card whose open ports DPDK's own tools see (dpdk-telemetry.py, dpdk-telemetry-exporter.py): a socket as DPDK's
 * telemetry of version 2 has it, at the place where they look, which this user and root may use. Commands are those of
 * DPDK's manual, "Telemetry User Guide"; one that is not known, or a port that is not open, is answered with null.
 * <p>
 * Thread rule: as for {@link NicAdapter}, whose owner's {@link #check} notes how the links are; what the tools ask is
 * answered by threads of the socket's own. Errors: {@link DeviceException} if the socket cannot be made.
 */
public final class TelemetryCard implements NicAdapter {
    private static final String SOCKET = "dpdk_telemetry.v2";
    private static final int MOST_OUTPUT_BYTES = 65_536;
    private static final int MOST_COMMAND_BYTES = 1024;
    private static final int MOST_INSTANCES = 10;
    private static final long SPEED_UNKNOWN = 0xFFFF_FFFFL;
    /** DPDK's counters of a port by ours; one that a card does not have stays 0. */
    private static final Map<String, List<String>> COMMON = common();
    private static final Door.Bounds BOUNDS = Door.Bounds.ownUser(10, 5_000);

    private final NicAdapter card;
    private final String version;
    private final Map<String, Command> commands = new TreeMap<>();
    private final List<Port> ports = new CopyOnWriteArrayList<>();
    private final Door<UnixSocket> door;

    /** Puts the answer to a command with its parameter, the empty text for none; false where there is none. */
    private interface Answer {
        boolean put(Json.Obj to, String name, String parameter);
    }

    private record Command(String help, Answer answer) {}

    private static final class Port {
        private final int number;
        private final String name;
        private final Nic nic;
        private volatile LinkState link = LinkState.of(false);

        Port(int number, Nic nic) {
            this.number = number;
            this.nic = nic;
            name = nic.name();
        }
    }

    private TelemetryCard(NicAdapter card, String version, UnixListener listener) {
        this.card = card;
        this.version = version;
        ofArray("/", "Returns list of commands", () -> Json.texts(commands.keySet()));
        put("/info", "Returns DPDK Telemetry information. Takes no parameters",
                (to, name, _) -> to.put(name, greeting()) != null);
        put("/help", "Returns help text for a command. Parameters: string command", this::help);
        ofArray("/eal/lcore/list", "List of lcore ids", Json::array);
        ofArray("/eal/memzone_list", "List of memzone index reserved", Json::array);
        ofArray("/ethdev/list", "Returns list of available ethdev ports", this::list);
        ofPort("/ethdev/info", "Returns the device info for a port.", TelemetryCard::info);
        ofPort("/ethdev/stats", "Returns the common stats for a port.", TelemetryCard::stats);
        ofPort("/ethdev/xstats", "Returns the extended stats for a port.", TelemetryCard::all);
        ofPort("/ethdev/link_status", "Returns the link status for a port.", TelemetryCard::link);
        door = Door.open("bascule-telemetry", listener, BOUNDS, this::serve);
    }

    private static Map<String, List<String>> common() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        all.put("ipackets", List.of("rx_packets"));
        all.put("opackets", List.of("tx_packets"));
        all.put("ibytes", List.of("rx_bytes"));
        all.put("obytes", List.of("tx_bytes"));
        all.put("imissed", List.of("device_rx_missed"));
        all.put("ierrors", List.of("rx_errors"));
        all.put("oerrors", List.of("tx_errors"));
        all.put("rx_nombuf", List.of("rx_no_room", "device_rx_no_buffer"));
        return all;
    }

    private void put(String name, String help, Answer answer) {
        commands.put(name, new Command(help, answer));
    }

    private void ofArray(String name, String help, Supplier<Json.Arr> answer) {
        put(name, help + ". Takes no parameters", (to, key, _) -> to.put(key, answer.get()) != null);
    }

    private void ofPort(String name, String help, Function<Port, Json.Obj> answer) {
        put(name, help + " Parameters: int port_id",
                (to, key, parameter) -> ports.stream()
                        .filter(port -> parameter.equals(Integer.toString(port.number)))
                        .findFirst().map(port -> to.put(key, answer.apply(port))).isPresent());
    }

    /**
     * Opens the socket of a card, which is closed with it.
     *
     * @param card is closed if that fails, and with the result
     * @param prefix names the folder, as DPDK's {@code --file-prefix}; {@code rte} is what its tools take if not told
     * @param version of the program, for the tools
     */
    public static NicAdapter open(NicAdapter card, String prefix, String version) {
        try {
            return new TelemetryCard(card, version, listen(folder(prefix)));
        } catch (RuntimeException e) {
            card.close();
            throw e;
        }
    }

    /** The folder in which DPDK and its tools have the sockets of a prefix, by the user and the environment. */
    public static Path folder(String prefix) {
        String own = System.getenv("RUNTIME_DIRECTORY");
        String place = own != null && !own.isEmpty()
                ? own
                : Libc.effectiveUserId() == 0
                        ? "/var/run"
                        : System.getenv().getOrDefault("XDG_RUNTIME_DIR", "/tmp");
        return Path.of(place, "dpdk", prefix);
    }

    /**
     * The first instance of the folder that nobody has, as DPDK takes them: without a number, then {@code :1} and on.
     */
    private static UnixListener listen(Path folder) {
        try {
            Files.createDirectories(folder,
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            if (!owner.equals(Libc.effectiveUserId())) {
                throw new DeviceException("open a telemetry socket", folder.toString(),
                        "the folder belongs to user " + owner, "name another: --telemetry PREFIX");
            }
        } catch (IOException e) {
            throw new DeviceException("open a telemetry socket", folder.toString(), "the folder cannot be made: " + e,
                    "set XDG_RUNTIME_DIR to a folder of this user");
        }
        for (int i = 0;; i++) {
            try {
                return UnixListener.listen(folder.resolve(i == 0 ? SOCKET : SOCKET + ":" + i),
                        UnixSocket.Type.MESSAGES);
            } catch (NativeException e) {
                if (e.errno() != Errno.EADDRINUSE || i == MOST_INSTANCES) {
                    throw e;
                }
            }
        }
    }

    private void serve(Door.Guest<UnixSocket> guest) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(MOST_COMMAND_BYTES);
            send(guest.socket(), greeting().toString());
            UnixSocket.Received come = guest.socket().receive(words, 0, -1);
            while (come.bytes() > 0) {
                byte[] text = words.asSlice(0, come.bytes()).toArray(ValueLayout.JAVA_BYTE);
                String asked = new String(text, StandardCharsets.UTF_8).strip();
                if (commands.containsKey(name(asked))) {
                    guest.greeted();
                }
                send(guest.socket(), answer(asked));
                come = guest.socket().receive(words, 0, -1);
            }
        }
    }

    private static void send(UnixSocket socket, String text) {
        try (Arena arena = Arena.ofConfined()) {
            socket.send(arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static String name(String asked) {
        int comma = asked.indexOf(',');
        return comma < 0 ? asked : asked.substring(0, comma);
    }

    private String answer(String asked) {
        String name = name(asked);
        String parameter = asked.length() == name.length() ? "" : asked.substring(name.length() + 1);
        Command command = commands.get(name);
        Json.Obj found = Json.object();
        boolean isThere = command != null && command.answer.put(found, name, parameter);
        String text = found.toString();
        return isThere && text.getBytes(StandardCharsets.UTF_8).length <= MOST_OUTPUT_BYTES
                ? text
                : Json.object().putNull(name).toString();
    }

    private Json.Obj greeting() {
        return Json.object().put("version", version).put("pid", ProcessHandle.current().pid())
                .put("max_output_len", MOST_OUTPUT_BYTES);
    }

    private boolean help(Json.Obj to, String name, String parameter) {
        Command command = commands.get(parameter);
        return command != null && to.put(name, Json.object().put(parameter, command.help)) != null;
    }

    private Json.Arr list() {
        Json.Arr all = Json.array();
        ports.forEach(port -> all.add(port.number));
        return all;
    }

    private static Json.Obj info(Port port) {
        Nic nic = port.nic;
        Json.Obj info = Json.object().put("name", port.name).put("state", 1).put("nb_rx_queues", nic.rxQueues())
                .put("nb_tx_queues", nic.txQueues()).put("port_id", port.number)
                .put("mtu", nic.maxFrameBytes() - UdpDecoder.ETHERNET_BYTES);
        nic.macAddress().ifPresent(address -> info.put("mac_addr", address.toString()));
        return info.put("dev_configured", 1).put("dev_started", 1);
    }

    private static Json.Obj stats(Port port) {
        Map<String, Long> counts = port.nic.statistics();
        Json.Obj stats = Json.object();
        COMMON.forEach((name, of) -> stats.put(name, of.stream().mapToLong(key -> counts.getOrDefault(key, 0L)).sum()));
        return stats.put("q_ipackets", queues(counts, "rx", port.nic.rxQueues()))
                .put("q_opackets", queues(counts, "tx", port.nic.txQueues()));
    }

    private static Json.Arr queues(Map<String, Long> counts, String way, int number) {
        Json.Arr all = Json.array();
        IntStream.range(0, number)
                .forEach(queue -> all.add(counts.getOrDefault(way + "_queue_" + queue + "_packets", 0L)));
        return all;
    }

    private static Json.Obj all(Port port) {
        Json.Obj all = Json.object();
        port.nic.statistics().forEach(all::put);
        return all;
    }

    private static Json.Obj link(Port port) {
        LinkState link = port.link;
        Json.Obj status = Json.object().put("status", link.up() ? "UP" : "DOWN");
        return !link.up()
                ? status
                : status.put("speed",
                        link.bitsPerSecond() == LinkState.UNKNOWN_SPEED
                                ? SPEED_UNKNOWN
                                : link.bitsPerSecond() / 1_000_000)
                        .put("duplex", "full-duplex");
    }

    @Override
    public String name() {
        return card.name();
    }

    @Override
    public int ports() {
        return card.ports();
    }

    @Override
    public Nic openPort(int port, NicOptions options) {
        Nic nic = card.openPort(port, options);
        ports.add(new Port(port, nic));
        return nic;
    }

    @Override
    public void check() {
        card.check();
        for (Port port : ports) {
            port.link = port.nic.link();
        }
    }

    @Override
    public OptionalLong clockNanos() {
        return card.clockNanos();
    }

    @Override
    public void setClockNanos(long nanos) {
        card.setClockNanos(nanos);
    }

    @Override
    public void close() {
        door.closeAndWait();
        card.close();
    }
}
