package dev.bascule.pci;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The capabilities of a config space, found by following its pointers without trusting them: a pointer outside, a loop
 * or all ones ends the walk with an entry in {@code problems}, never with an exception.
 *
 * @param list what was found, in chain order, conventional before extended
 * @param problems what was wrong, for people; empty for a sane device
 */
public record Capabilities(List<Capability> list, List<String> problems) {
    /** Copies the lists. */
    public Capabilities {
        list = List.copyOf(list);
        problems = List.copyOf(problems);
    }

    /** Walks a config space. */
    public static Capabilities of(ConfigSpace config) {
        List<Capability> found = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (config.read16(ConfigSpace.VENDOR_ID) == 0xffff) {
            problems.add("vendor id reads all ones: no device answers");
        } else {
            walkConventional(config, found, problems);
            walkExtended(config, found, problems);
        }
        return new Capabilities(found, problems);
    }

    /** The first conventional capability with this id. */
    public Optional<Capability> find(int id) {
        return list.stream().filter(capability -> !capability.extended() && capability.id() == id).findFirst();
    }

    private static void walkConventional(ConfigSpace config, List<Capability> found, List<String> problems) {
        if ((config.read16(ConfigSpace.STATUS) & ConfigSpace.HAS_CAPABILITIES) == 0) {
            return;
        }
        int end = Math.min(config.sizeBytes(), ConfigSpace.CONVENTIONAL_BYTES);
        BitSet seen = new BitSet();
        int at = config.read8(ConfigSpace.CAPABILITIES) & ~3;
        while (at != 0) {
            if (at < ConfigSpace.HEADER_BYTES || at + 2 > end) {
                problems.add("capability pointer 0x%02x lies outside of 0x40 to 0x%x".formatted(at, end - 2));
                return;
            }
            if (seen.get(at)) {
                problems.add("capability chain comes back to 0x%02x".formatted(at));
                return;
            }
            seen.set(at);
            int id = config.read8(at);
            if (id == 0xff) {
                problems.add("capability at 0x%02x reads all ones".formatted(at));
                return;
            }
            found.add(new Capability(id, at, false));
            at = config.read8(at + 1) & ~3;
        }
    }

    private static void walkExtended(ConfigSpace config, List<Capability> found, List<String> problems) {
        if (config.sizeBytes() < ConfigSpace.EXPRESS_BYTES || config.read32(ConfigSpace.CONVENTIONAL_BYTES) == 0) {
            return;
        }
        BitSet seen = new BitSet();
        int at = ConfigSpace.CONVENTIONAL_BYTES;
        while (at != 0) {
            if (at < ConfigSpace.CONVENTIONAL_BYTES || at > ConfigSpace.EXPRESS_BYTES - 4) {
                problems.add("extended capability pointer 0x%03x lies outside of 0x100 to 0xffc".formatted(at));
                return;
            }
            if (seen.get(at)) {
                problems.add("extended capability chain comes back to 0x%03x".formatted(at));
                return;
            }
            seen.set(at);
            int header = config.read32(at);
            if (header == -1) {
                problems.add("extended capability at 0x%03x reads all ones".formatted(at));
                return;
            }
            if ((header & 0xffff) != 0) { // a null capability only links on
                found.add(new Capability(header & 0xffff, at, true));
            }
            at = header >>> 20 & ~3;
        }
    }
}
