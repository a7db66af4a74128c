package dev.bascule.host;

import dev.bascule.agent.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How CPUs of this machine share cores and sockets, as sysfs tells it. An enclave's CPUs are numbered so that the siblings of
 * a core stand next to each other, and the cores of a socket; a NUMA node counts as a socket where a socket has several.
 *
 * @param cpus the machine's CPUs, in the enclave's order
 * @param topology of the enclave; flat if the CPUs are not of a regular shape
 * @param note why it is flat though the CPUs do share cores or sockets; empty if it tells the truth
 */
public record MachineTopology(List<Integer> cpus, Topology topology, String note) {
    private static final Path SYSFS = Path.of("/sys/devices/system/cpu");

    private record Place(int cpu, int socket, int core) {}

    /** Topology of some CPUs of this machine. */
    public static MachineTopology of(List<Integer> cpus) {
        return of(SYSFS, cpus);
    }

    /** Topology of so many of some CPUs: those that share cores and sockets, as far as there are. */
    public static MachineTopology ofSome(List<Integer> cpus, int count) {
        return ofSome(SYSFS, cpus, count);
    }

    /** Topology of so many of some CPUs, by a folder of sysfs. */
    static MachineTopology ofSome(Path folder, List<Integer> cpus, int count) {
        return of(folder, of(folder, cpus).cpus().subList(0, count));
    }

    /** Topology of some CPUs, by a folder of sysfs. */
    static MachineTopology of(Path folder, List<Integer> cpus) {
        List<Place> places = new ArrayList<>();
        for (int cpu : cpus) {
            Path own = folder.resolve("cpu" + cpu);
            int socket = number(own.resolve("topology/physical_package_id"), 0);
            places.add(new Place(cpu, socket << 10 | node(own), core(own, cpu)));
        }
        places.sort(Comparator.comparingInt(Place::socket).thenComparingInt(Place::core).thenComparingInt(Place::cpu));
        List<Integer> ordered = places.stream().map(Place::cpu).toList();
        Map<Integer, Map<Integer, Integer>> sockets = new TreeMap<>();
        for (Place place : places) {
            sockets.computeIfAbsent(place.socket(), one -> new HashMap<>()).merge(place.core(), 1, Integer::sum);
        }
        return regular(ordered, sockets);
    }

    /** For people: which CPUs, and what they share. */
    public String describe() {
        return note.isEmpty()
                ? "CPUs " + cpus + ", " + topology.siblings() + " of a core, " + topology.sockets()
                        + (topology.sockets() == 1 ? " socket" : " sockets")
                : note;
    }

    private static MachineTopology regular(List<Integer> cpus, Map<Integer, Map<Integer, Integer>> sockets) {
        List<Integer> siblings = sockets.values().stream().flatMap(cores -> cores.values().stream()).distinct()
                .toList();
        long sizes = sockets.values().stream().map(Map::size).distinct().count();
        if (siblings.size() > 1 || sizes > 1 || siblings.getFirst() > 8 || sockets.size() > 64) {
            return new MachineTopology(cpus, Topology.flat(cpus.size()), "CPUs " + cpus + " are of " + sockets.size()
                    + " sockets and cores of " + siblings + " siblings: no regular shape, so the agent sees them flat");
        }
        return new MachineTopology(cpus, new Topology(cpus.size(), siblings.getFirst(), sockets.size()), "");
    }

    /**
     * Number of a core: that of its first sibling, as one {@code core_id} may stand on several dies or clusters of a
     * socket.
     */
    private static int core(Path own, int cpu) {
        return number(own.resolve("topology/thread_siblings_list"), number(own.resolve("topology/core_id"), cpu));
    }

    private static int node(Path cpu) {
        try (Stream<Path> entries = Files.list(cpu)) {
            return entries.map(entry -> String.valueOf(entry.getFileName())).filter(name -> name.matches("node\\d+"))
                    .mapToInt(name -> Integer.parseInt(name.substring(4))).findFirst().orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    private static int number(Path file, int otherwise) {
        try {
            return Math.max(0, Integer.parseInt(Files.readString(file).strip().split("[,-]", 2)[0]));
        } catch (IOException | NumberFormatException e) {
            return otherwise;
        }
    }
}
