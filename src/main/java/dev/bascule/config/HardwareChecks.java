package dev.bascule.config;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Checks of what the keys of a hardware configuration must say together, beyond what each takes by itself. */
final class HardwareChecks {
    private static final String SMARTNIC = "smartnic";
    private static final Set<String> CARD = Set.of("region", "doorbell", "cores", "window", "interrupt");
    private static final long PAGE = 4096;

    private final Yaml yaml;
    private final Map<String, Object> values;
    private final Map<String, Node> places;

    /** Over the values read and where each stands. */
    HardwareChecks(Yaml yaml, Map<String, Object> values, Map<String, Node> places) {
        this.yaml = yaml;
        this.values = values;
        this.places = places;
    }

    void run() {
        Node kind = places.get("kind");
        boolean pci = text("kind").equals(DeviceKind.PCI.word());
        if (pci && kind != null) {
            device(kind);
        }
        if (pci && text("device.driver").equals(SMARTNIC)) {
            pages("region.offset", "region.length", "cores.offset", "cores.length");
            register("doorbell");
            register("interrupt");
            doorbellBesideTheRegion();
            cores();
            window();
        } else {
            noCard();
        }
        watchdog();
    }

    private void watchdog() {
        long soft = whole("watchdog.softWindow");
        long hard = whole("watchdog.hardLimit");
        if (soft >= hard && yaml.problems() == 0) {
            problem(places.containsKey("watchdog.softWindow") ? "watchdog.softWindow" : "watchdog.hardLimit",
                    "watchdog.softWindow (" + Quantity.print(soft, Quantity.DURATION_UNITS)
                            + ") must be below watchdog.hardLimit (" + Quantity.print(hard, Quantity.DURATION_UNITS)
                            + ")");
        }
    }

    private void device(Node kind) {
        String ids = text("device.ids");
        if (!ids.matches("\\s*[0-9a-f]{4}:[0-9a-f]{4}(\\s+[0-9a-f]{4}:[0-9a-f]{4})*\\s*")) {
            yaml.problem(places.getOrDefault("device.ids", kind),
                    "device.ids must be vendor and device, lower-case hexadecimal: \"1234:1001 5543:1001\"");
        }
        if (!List.of("simulated", "lab", "hardware", "nowhere").contains(text("device.seen"))) {
            yaml.problem(places.getOrDefault("device.seen", kind),
                    "device.seen must be one of simulated, lab, hardware, nowhere");
        }
        if (text("device.driver").isBlank()) {
            yaml.problem(places.getOrDefault("device.driver", kind), "device.driver must name a driver, or be none");
        }
    }

    private void noCard() {
        places.forEach((path, place) -> {
            int dot = path.indexOf('.');
            if (dot > 0 && CARD.contains(path.substring(0, dot))) {
                yaml.problem(place, "'" + path + "' is for kind pci with device.driver: " + SMARTNIC);
            }
        });
    }

    private void pages(String... paths) {
        for (String path : paths) {
            if (whole(path) % PAGE != 0) {
                problem(path, "'" + path + "' is 0x" + Long.toHexString(whole(path)) + "; it must be whole pages of "
                        + PAGE + " bytes");
            }
        }
    }

    private void register(String section) {
        String width = text(section + ".width");
        if (width.equals("none")) {
            Node given = first(section);
            if (given != null) {
                yaml.problem(given,
                        "'" + section + "' has no width, so there is none; add width: 4, or leave '" + section
                                + "' out");
            }
            return;
        }
        long bytes = Long.parseLong(width);
        for (String name : List.of("offset", "stride")) {
            if (whole(section + "." + name) % bytes != 0) {
                problem(section + "." + name, "'" + section + "." + name + "' must be a multiple of its width, " + width
                        + " bytes");
            }
        }
        if (bytes < Long.BYTES && whole(section + ".value") >>> 8 * bytes != 0) {
            problem(section + ".value", "'" + section + ".value' does not fit into " + width + " bytes");
        }
        if (section.equals("interrupt") && text("interrupt.path").isEmpty()) {
            problem("interrupt.width",
                    "'interrupt.path' is missing: the file that maps the register, such as /dev/mem");
        }
    }

    private void doorbellBesideTheRegion() {
        if (!text("doorbell.width").equals("none") && whole("doorbell.bar") == whole("region.bar")
                && text("optimisations.writeCombining").equals("true")) {
            problem("doorbell.width",
                    "the doorbell lies in the region's BAR, which is mapped write-combining as a whole,"
                            + " what no register bears; set optimisations.writeCombining: false");
        }
    }

    private void cores() {
        String memory = text("cores.memory");
        if (memory.equals("none")) {
            return;
        }
        if (text("cores.path").isEmpty()) {
            problem("cores.memory", "'cores.path' is missing: the " + switch (memory) {
                case "device" -> "memory device, such as /dev/mem";
                case "uio" -> "device, such as /dev/uio0";
                case "pci" -> "endpoint's own PCI address";
                case "socket" -> "socket";
                case "library" -> "shared library";
                default -> "file";
            });
        }
        if (places.containsKey("cores.cached") && text("cores.cached").equals("true")
                && List.of("uio", "pci").contains(memory)) {
            problem("cores.cached", "the kernel maps what is behind " + memory + " uncached; set cached:"
                    + " false, or use cores.memory: device");
        }
        boolean memoryOnly = !List.of("socket", "library").contains(memory);
        if (memoryOnly && text("region.hostMemory").equals("iova") && text("window.path").isEmpty()) {
            problem("cores.memory", "host memory is offered by its device address, and the cores have no window on it;"
                    + " add 'window', or set region.hostMemory: bar");
        }
    }

    private void window() {
        Node given = first("window");
        if (given == null) {
            return;
        }
        if (text("window.path").isEmpty() || whole("window.length") == 0) {
            yaml.problem(given,
                    "'window' needs a path and a length: the file that maps it, and how much of it there is");
        }
        if (text("region.hostMemory").equals("bar")) {
            yaml.problem(given, "'window' is for region.hostMemory: iova; with bar the cores find host memory in the"
                    + " card's");
        }
    }

    /** Where the first key of a section stands; null if it has none. */
    private @Nullable Node first(String section) {
        return places.entrySet().stream().filter(entry -> entry.getKey().startsWith(section + "."))
                .map(Map.Entry::getValue)
                .min(Comparator.comparingInt(HardwareChecks::place)).orElse(null);
    }

    private static int place(Node node) {
        return node.getStartMark().map(mark -> mark.getIndex()).orElse(0);
    }

    /** At the key, or at the file's kind if it has the default. */
    private void problem(String path, String message) {
        Node place = places.getOrDefault(path, places.get("kind"));
        if (place == null) {
            yaml.problem(message);
        } else {
            yaml.problem(place, message);
        }
    }

    private String text(String path) {
        return String.valueOf(values.getOrDefault(path, ""));
    }

    private long whole(String path) {
        return (Long) values.getOrDefault(path, 0L);
    }
}
