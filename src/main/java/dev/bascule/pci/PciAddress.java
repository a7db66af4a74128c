package dev.bascule.pci;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a PCI function sits.
 *
 * @param domain 0 to 0xffffffff (more than 16 bits occur behind VMD controllers)
 * @param bus 0 to 255
 * @param device 0 to 31
 * @param function 0 to 7
 */
public record PciAddress(long domain, int bus, int device, int function) implements Comparable<PciAddress> {
    private static final Pattern FORM = Pattern
            .compile("(?:([0-9a-fA-F]{1,8}):)?([0-9a-fA-F]{1,2}):([0-9a-fA-F]{1,2})\\.([0-7])");

    /** Checks the ranges; {@link IllegalArgumentException} if a value is outside. */
    public PciAddress {
        if (domain < 0 || domain > 0xffff_ffffL || bus < 0 || bus > 255 || device < 0 || device > 31 || function < 0
                || function > 7) {
            throw new IllegalArgumentException(
                    "no PCI address: domain " + domain + " bus " + bus + " device " + device + " function " + function);
        }
    }

    /** Parses {@code 0000:03:00.0}, or {@code 03:00.0} in domain 0. */
    public static PciAddress parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(3), 16) > 31) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a PCI address; write it as 0000:03:00.0 (domain:bus:device.function)");
        }
        String domain = matcher.group(1);
        return new PciAddress(domain == null ? 0 : Long.parseLong(domain, 16), Integer.parseInt(matcher.group(2), 16),
                Integer.parseInt(matcher.group(3), 16), Integer.parseInt(matcher.group(4)));
    }

    @Override
    public int compareTo(PciAddress other) {
        return Long.compare(number(), other.number());
    }

    private long number() {
        return domain << 16 | bus << 8 | device << 3 | function;
    }

    /** The form that sysfs uses: {@code 0000:03:00.0}. */
    @Override
    public String toString() {
        return "%04x:%02x:%02x.%x".formatted(domain, bus, device, function);
    }
}
