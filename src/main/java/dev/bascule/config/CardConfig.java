package dev.bascule.config;

/**
 * Where the SmartNIC's region of a PCI device lies: how the host reaches it, and how the card's own cores do.
 *
 * @param region the part of a BAR that is the card's memory
 * @param doorbell register of the device that the host writes to be heard by the card; may be absent
 * @param cores the same memory as the card's own cores reach it
 * @param window where those cores see the host's memory; may be absent
 * @param interrupt register that those cores write to interrupt the host; may be absent
 */
public record CardConfig(@Key Region region, @Key Doorbell doorbell, @Key Cores cores, @Key Window window,
        @Key Interrupt interrupt) {
    /** With another path to the cores' memory; an empty one changes nothing. */
    public CardConfig withCoresPath(String path) {
        return path.isEmpty()
                ? this
                : new CardConfig(region, doorbell, new Cores(cores.memory, path, cores.argument, cores.bar,
                        cores.offset, cores.lengthBytes, cores.cached), window, interrupt);
    }

    /**
     * The card's memory in a BAR.
     *
     * @param device the function by address or socket; empty: the only one here with the configuration's ids
     * @param bar number of the BAR, 0 to 5
     * @param offset where it begins in the BAR, bytes, whole pages
     * @param lengthBytes how long it is, whole pages; 0: to the end of the BAR
     * @param hostMemoryInBar host memory lies in the BAR too, behind the card's; else it is the host's own, offered to the
     *     card by the address that the IOMMU translates
     * @param vectors most interrupt vectors that are used; 0: none, CPUs look now and then
     */
    public record Region(@Key String device, @Key(max = 5, fallback = "2") int bar, @Key long offset,
            @Key(value = "length", type = ValueType.BYTES, max = 64L << 30) long lengthBytes,
            @Key(value = "hostMemory", words = { "iova", "bar" }) boolean hostMemoryInBar,
            @Key(max = 256, fallback = "64") int vectors) {}

    /**
     * A register that is written to be heard; number {@code n} writes {@code value + n * step} at {@code offset + n *
     * stride}.
     *
     * @param offset bytes
     * @param widthBytes 1, 2, 4 or 8; 0: there is none
     */
    public record Register(@Key long offset,
            @Key(value = "width", words = {
                    "none", "1", "2", "4", "8" }) int widthBytes,
            @Key long value,
            @Key long stride, @Key long step) {
        /** Whether there is one. */
        public boolean exists() {
            return widthBytes > 0;
        }
    }

    /** The register in a BAR of the device. */
    public record Doorbell(@Key(max = 5) int bar, @Key(type = ValueType.INLINE) Register register) {}

    /** The register in a file that maps memory. */
    public record Interrupt(@Key String path, @Key(type = ValueType.INLINE) Register register) {}

    /** How the card's own cores reach the region's memory. */
    public enum Memory {
        /** Not at all from here: they are in another machine, whose file says how. */
        NONE,
        /** A range of a memory device, such as {@code /dev/mem}. */
        DEVICE,
        /** A mapping of a userspace I/O device, {@code /dev/uioN}, whose interrupt is the host's doorbell. */
        UIO,
        /** A BAR of an endpoint's own PCI function, through sysfs. */
        PCI,
        /** A file: on {@code /dev/shm}, on hugepages, a DAX device. */
        FILE,
        /** Descriptors from a socket: {@code serve --cores}, or a daemon of the vendor. */
        SOCKET,
        /** A shared library of the vendor that gives the memory. */
        LIBRARY
    }

    /**
     * The card's memory as its own cores reach it.
     *
     * @param path file, PCI address, socket or library
     * @param argument what a library is told, such as which card
     * @param bar BAR or mapping number, for {@code PCI} and {@code UIO}
     * @param offset where the region begins in it, bytes, whole pages
     * @param lengthBytes how long it is; 0: as the file or BAR is
     * @param cached those cores cache it, coherently with what the host writes; off: they do not
     */
    public record Cores(@Key Memory memory, @Key String path, @Key String argument, @Key(max = 5) int bar,
            @Key long offset, @Key(value = "length", type = ValueType.BYTES, max = 64L << 30) long lengthBytes,
            @Key boolean cached) {
        /** Never cached where the kernel maps uncached. */
        public Cores {
            cached = cached && memory != Memory.UIO && memory != Memory.PCI;
        }
    }

    /**
     * A range of memory in which the card's cores see host memory.
     *
     * @param path file that maps it; empty: there is none
     * @param offset where it begins in the file, bytes
     * @param lengthBytes how much of it there is
     * @param base the device address of its first byte
     */
    public record Window(@Key String path, @Key long offset,
            @Key(value = "length", type = ValueType.BYTES, max = 1L << 40) long lengthBytes, @Key long base) {
        /** Whether there is one. */
        public boolean exists() {
            return !path.isEmpty();
        }
    }
}
