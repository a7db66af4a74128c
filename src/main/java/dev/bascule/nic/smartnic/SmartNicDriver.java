package dev.bascule.nic.smartnic;

import dev.bascule.config.CardConfig;
import dev.bascule.device.Bar;
import dev.bascule.device.DeviceBacking;
import dev.bascule.device.DeviceException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.memory.MemoryType;
import dev.bascule.pci.AtomicOpsPath;
import dev.bascule.pci.ConfigSpace;
import dev.bascule.pci.ExpressCapability;
import dev.bascule.memory.Window;
import dev.bascule.ring.Doorbell;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The host's end of a SmartNIC's region on a PCI function behind any backing: memory in a BAR, a doorbell register,
 * message interrupts, and host memory that the card reaches by DMA.
 * <p>
 * Thread rule: thread-safe, except that a window or interrupt belongs to one thread.
 */
public final class SmartNicDriver {
    private final DeviceBacking backing;
    private final CardConfig config;
    private final long sizeBytes;
    private final InterruptKind kind;
    private final int vectors;
    private final @Nullable Registers doorbell;

    private SmartNicDriver(DeviceBacking backing, CardConfig config, long sizeBytes) {
        this.backing = backing;
        this.config = config;
        this.sizeBytes = sizeBytes;
        kind = backing.interruptCount(InterruptKind.MSIX) > 0 ? InterruptKind.MSIX : InterruptKind.MSI;
        vectors = Math.min(config.region().vectors(), backing.interruptCount(kind));
        doorbell = config.doorbell().register().exists() ? backing.registers(config.doorbell().bar()) : null;
    }

    /**
     * Takes the device over; the backing stays the caller's, and closing it releases everything.
     *
     * @throws DeviceException if the device has not what the configuration says
     */
    public static SmartNicDriver open(DeviceBacking backing, CardConfig config) {
        CardConfig.Region region = config.region();
        Bar bar = backing.bar(region.bar());
        long size = region.lengthBytes() == 0 ? bar.sizeBytes() - region.offset() : region.lengthBytes();
        if (size <= 0 || region.offset() > bar.sizeBytes() - size) {
            throw new DeviceException("open smartnic", backing.info() + " BAR " + bar.index(), "it has "
                    + bar.sizeBytes() + " bytes, and the region [" + region.offset() + ", +" + Math.max(0, size)
                    + ") lies outside", "set region.offset and region.length of the configuration");
        }
        if (!bar.isMappable(region.offset(), size)) {
            throw new DeviceException("open smartnic", backing.info() + " BAR " + bar.index(),
                    "[" + region.offset() + ", +" + size + ") cannot be mapped as memory; these parts can: "
                            + bar.mappable(),
                    "set region.offset and region.length to one of them");
        }
        SmartNicDriver driver = new SmartNicDriver(backing, config, size);
        driver.requireDoorbell();
        backing.setBusMaster(true); // for DMA, and message interrupts are writes of the device
        return driver;
    }

    private void requireDoorbell() {
        CardConfig.Register register = config.doorbell().register();
        if (doorbell != null && register.offset() > doorbell.sizeBytes() - register.widthBytes()) {
            throw new DeviceException("open smartnic", backing.info() + " BAR " + config.doorbell().bar(),
                    "the doorbell at 0x" + Long.toHexString(register.offset()) + " lies outside of its "
                            + doorbell.sizeBytes() + " bytes",
                    "set doorbell.offset of the configuration");
        }
    }

    /** Size of the region in the BAR. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** A new window on the region, for the calling thread; its type is what the mapping has. */
    public Window window(MemoryType type) {
        return backing.window(config.region().bar(), config.region().offset(), sizeBytes, type);
    }

    /** Interrupt vectors to use; 0: CPUs have to look. */
    public int vectors() {
        return vectors;
    }

    /** One of them. */
    public Interrupt interrupt(int vector) {
        return backing.openInterrupt(kind, vector, null);
    }

    /** Rings the card; the number says which of several doorbells. Nothing where the card has none. */
    public Doorbell doorbell() {
        Registers registers = doorbell;
        CardConfig.Register register = config.doorbell().register();
        return registers == null
                ? Doorbell.NONE
                : number -> registers.write(register.offset() + number * register.stride(), register.widthBytes(),
                        register.value() + number * register.step());
    }

    /** Lets the card reach memory, and nothing else; the caller keeps it alive until {@link #withdraw}. */
    public Iova offer(MappableMemory memory) {
        return backing.addressSpace().map(memory, DmaDirection.BOTH);
    }

    /** Takes it back; when this returns the card does not reach it. */
    public void withdraw(Iova iova) {
        backing.addressSpace().unmap(iova);
    }

    /** Config space, the first 256 bytes: with it {@link AtomicOpsPath} says which AtomicOps are possible. */
    public ConfigSpace config() {
        Registers from = backing.config();
        byte[] bytes = new byte[(int) Math.min(from.sizeBytes(), ConfigSpace.CONVENTIONAL_BYTES)];
        for (int at = 0; at < bytes.length; at += Integer.BYTES) {
            int word = from.read32(at);
            for (int i = 0; i < Integer.BYTES; i++) {
                bytes[at + i] = (byte) (word >>> 8 * i);
            }
        }
        return ConfigSpace.copyOf(bytes);
    }

    /** Lets the card send AtomicOps; false if its enable bit stays off, or it has none. */
    public boolean letSendAtomics() {
        Registers to = backing.config();
        int at = ExpressCapability.of(config()).map(express -> express.offset() + ExpressCapability.CONTROL_2)
                .orElse(0);
        if (at == 0) {
            return false;
        }
        to.write16(at, to.read16(at) | ExpressCapability.REQUESTER);
        return (to.read16(at) & ExpressCapability.REQUESTER) != 0;
    }

    /** Where host memory lies, if it is in the BAR. */
    public boolean isHostMemoryInBar() {
        return config.region().hostMemoryInBar();
    }

    /** Remark on how the region is mapped, such as with another memory type than asked for; empty if all is well. */
    public Optional<String> remark(MemoryType asked) {
        MemoryType is = window(asked).type();
        return is == asked || is == MemoryType.WB
                ? Optional.empty()
                : Optional.of(backing.info() + ": the region is mapped " + is + ", not " + asked);
    }

    @Override
    public String toString() {
        return backing.info().toString();
    }
}
