package dev.bascule.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's list of the memory types that ranges of physical addresses are mapped with: what a mapping really is, on
 * x86-64, whatever was asked for. The kernel gives a range one type as long as anybody maps it, so that who comes second
 * gets the first one's. Source: Linux, Documentation/arch/x86/pat.rst.
 * <p>
 * It is readable for root where debugfs is mounted. Other architectures have none.
 */
public final class PatList {
    private static final Path FILE = Path.of("/sys/kernel/debug/x86/pat_memtype_list");
    private static final Pattern LINE = Pattern
            .compile("\\[mem 0x([0-9a-f]{1,16})-0x([0-9a-f]{1,16})\\]\\s+([a-z-]+)");

    /** One range; {@code end} is the first address behind it. */
    private record Entry(long start, long end, String word) {}

    private final List<Entry> entries;
    private final String problem;

    private PatList(List<Entry> entries, String problem) {
        this.entries = entries;
        this.problem = problem;
    }

    /** The list as it is now. */
    public static PatList read() {
        return read(FILE);
    }

    static PatList read(Path file) {
        try {
            List<Entry> found = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.find()) {
                    found.add(new Entry(Long.parseUnsignedLong(matcher.group(1), 16),
                            Long.parseUnsignedLong(matcher.group(2), 16), matcher.group(3)));
                }
            }
            return new PatList(found, "");
        } catch (IOException e) {
            return new PatList(List.of(), file + " cannot be read (root, with debugfs mounted, can)");
        }
    }

    /** Why nothing is known; empty if the list could be read. */
    public String problem() {
        return problem;
    }

    /** The type of all mappings of [start, start + lengthBytes); empty if it is not mapped, or not known. */
    public Optional<MemoryType> typeOf(long start, long lengthBytes) {
        return word(start, lengthBytes).flatMap(word -> switch (word) {
            case "write-combining" -> Optional.of(MemoryType.WC);
            case "uncached", "uncached-minus" -> Optional.of(MemoryType.UC);
            case "write-through" -> Optional.of(MemoryType.WT);
            case "write-back" -> Optional.of(MemoryType.WB);
            default -> Optional.empty();
        });
    }

    /** Memory type in the kernel's word, such as {@code uncached-minus}; of several the first. */
    public Optional<String> word(long start, long lengthBytes) {
        return entries.stream().filter(entry -> Long.compareUnsigned(entry.start, start + lengthBytes) < 0
                && Long.compareUnsigned(start, entry.end) < 0).map(Entry::word).findFirst();
    }
}
