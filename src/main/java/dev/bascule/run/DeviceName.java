package dev.bascule.run;

import dev.bascule.pci.PciAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A PCI function as users name it: its address, and, as in the kernel's VFIO, {@code vf_token=UUID} behind it where vfio-pci
 * has the physical function, too.
 */
public record DeviceName(PciAddress address, @Nullable UUID token) {
    private static final Pattern FORM = Pattern
            .compile("((?:[0-9a-fA-F]{1,8}:)?[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}\\.[0-7])(?:[ ,]vf_token=(\\S+))?");

    /** Whether a text is written as a PCI address. */
    public static boolean is(String text) {
        return FORM.matcher(text).matches();
    }

    /** Reads one. */
    public static DeviceName parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new Misuse("'" + text + "' is no PCI address, such as 0000:03:00.0; list them: bascule devices");
        }
        return new DeviceName(PciAddress.parse(matcher.group(1)),
                Optional.ofNullable(matcher.group(2)).map(DeviceName::token).orElse(null));
    }

    /** PCI address of a function; a {@link Misuse} for what is none. */
    public static PciAddress address(String text) {
        return Misuse.reading("'" + text + "'", () -> PciAddress.parse(text));
    }

    static UUID token(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new Misuse("the token '" + text + "' is no UUID; make one: uuidgen");
        }
    }
}
