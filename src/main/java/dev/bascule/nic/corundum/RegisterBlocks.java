package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceFormatException;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.Registers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One linked list of register blocks, read with suspicion: it may loop, point outside or be gone. */
final class RegisterBlocks {
    private static final String STEP = "read register blocks";
    /** Far more than any design has. */
    private static final int MOST = 256;
    /** No block is longer; one that would reach out of its region is not one. */
    static final int LONGEST_BLOCK = 0x100;

    private final String device;
    private final List<RegisterBlock> blocks;

    private RegisterBlocks(String device, List<RegisterBlock> blocks) {
        this.device = device;
        this.blocks = List.copyOf(blocks);
    }

    /**
     * Follows a list to its end.
     *
     * @param first the first header, from {@code base}
     * @param base what next pointers count from
     * @param sizeBytes the region's size; a pointer beyond it ends the list
     */
    static RegisterBlocks read(Registers bar, String device, long base, long first, long sizeBytes) {
        List<RegisterBlock> blocks = new ArrayList<>();
        long at = first;
        do {
            if ((base + at & 3) != 0) {
                throw refuse(device, "a block at 0x%x, which is not a multiple of 4".formatted(base + at));
            }
            RegisterBlock block = new RegisterBlock(bar.read32(base + at), bar.read32(base + at + BLOCK_VERSION),
                    base + at);
            if (block.version() == -1) {
                throw new DeviceRemovedException(STEP, device);
            }
            if (blocks.size() == MOST || blocks.contains(block)) {
                throw refuse(device, "the list comes back to the block at 0x%x".formatted(block.offset()));
            }
            blocks.add(block);
            at = bar.read32(base + at + BLOCK_NEXT) & 0xFFFFFFFFL;
        } while (at != 0 && at + LONGEST_BLOCK <= sizeBytes);
        return new RegisterBlocks(device, blocks);
    }

    List<RegisterBlock> all() {
        return blocks;
    }

    /** All blocks of a type and version, in order. */
    List<RegisterBlock> all(int type, int version) {
        return blocks.stream().filter(b -> b.type() == type && b.version() == version).toList();
    }

    /** The first block of a type and version, if there is one. */
    @Nullable
    RegisterBlock find(int type, int version) {
        return all(type, version).stream().findFirst().orElse(null);
    }

    /** The block of a type, which must have one of these versions. */
    RegisterBlock require(String what, int type, int... versions) {
        List<Integer> known = java.util.Arrays.stream(versions).boxed().toList();
        List<RegisterBlock> ofType = blocks.stream().filter(b -> b.type() == type).toList();
        if (ofType.isEmpty()) {
            throw refuse(device, "no block for " + what + " (type 0x%x)".formatted(type));
        }
        return ofType.stream().filter(b -> known.contains(b.version())).findFirst()
                .orElseThrow(() -> wrongVersion(what, ofType.get(0).version(), known));
    }

    /** All blocks of a type, of which none may have another version. */
    List<RegisterBlock> requireAll(String what, int type, int version) {
        for (RegisterBlock block : blocks) {
            if (block.type() == type && block.version() != version) {
                throw wrongVersion(what, block.version(), List.of(version));
            }
        }
        return all(type, version);
    }

    private DeviceFormatException wrongVersion(String what, int found, List<Integer> known) {
        return refuse(device, "%s has version 0x%x; this driver knows %s".formatted(what, found,
                String.join(" and ", known.stream().map("0x%x"::formatted).toList())));
    }

    static DeviceFormatException refuse(String device, String problem) {
        return new DeviceFormatException(STEP, device, problem,
                "use a Corundum design of December 2023 or May 2024; bascule dump shows what the device has");
    }
}
