package dev.bascule.cli;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.json.Json;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads and writes registers of one device. */
@Command(name = "regs", mixinStandardHelpOptions = true, description = {
        "Reads registers of a PCI device that is bound to vfio-pci, or of a served one, or writes one.",
        "Reading may have side effects in the device, and writing may hang it: look into its data sheet first." }, footer = {
                "", "Examples:", "  bascule regs 03:00.0 0 0x0 --count 4     # four words of BAR 0",
                "  bascule regs 03:00.0 config 0x4 --width 2",
                "  bascule regs 03:00.0 0 0x4 --write 0x12345678" })
final class RegsCommand extends CommandBase {
    private static final int MOST = 4096;

    @Parameters(index = "0", paramLabel = "DEVICE", description = "PCI address, such as 0000:03:00.0, or the socket of a served device (bascule serve), which is reset by that")
    private String address = "";

    @OneOf({ "0", "1", "2", "3", "4", "5", "config" })
    @Parameters(index = "1", paramLabel = "BAR", description = "0 to 5, or: config")
    private String bar = "0";

    @Parameters(index = "2", paramLabel = "OFFSET", description = "bytes, decimal or 0x...")
    private String offset = "0";

    @OneOf({ "1", "2", "4", "8" })
    @Option(names = "--width", defaultValue = "4", paramLabel = "BYTES", description = "1, 2, 4 or 8; default ${DEFAULT-VALUE}")
    private int width = 4;

    @Range("1.." + MOST)
    @Option(names = "--count", defaultValue = "1", paramLabel = "N", description = "how many; default ${DEFAULT-VALUE}")
    private int count = 1;

    @Option(names = "--write", paramLabel = "VALUE", description = "write this value instead of reading")
    private String write = "";

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Mixin
    private DeviceAccess access = new DeviceAccess();

    @Override
    public Integer call() {
        long first = number(offset, "offset");
        int number = bar.equals("config") ? 0 : Integer.parseInt(bar);
        long value = write.isEmpty() ? 0 : number(write, "value");
        try (DeviceBacking device = access.open(address, err())) {
            Registers registers = bar.equals("config")
                    ? device.config()
                    : device.registers(number);
            if (!write.isEmpty()) {
                registers.write(first, width, value);
                return 0;
            }
            read(registers, first);
        } catch (IndexOutOfBoundsException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
        return 0;
    }

    private void read(Registers registers, long first) {
        PrintWriter out = out();
        Json.Arr list = Json.array();
        for (int i = 0; i < count; i++) {
            long at = first + (long) i * width;
            long value = registers.read(at, width);
            String text = "0x" + ("%0" + 2 * width + "x").formatted(value);
            if (json) {
                list.add(Json.object().put("offset", at).put("value", text));
            } else {
                out.println("0x%06x  ".formatted(at) + text);
            }
        }
        if (json) {
            out.print(Json.object().put("registers", list).pretty());
        }
        out.flush();
    }

    private static long number(String text, String what) {
        try {
            return text.startsWith("0x") || text.startsWith("0X")
                    ? Long.parseUnsignedLong(text.substring(2), 16)
                    : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new Misuse(what + " '" + text + "' is no number; write it as 12 or 0x0c");
        }
    }
}
