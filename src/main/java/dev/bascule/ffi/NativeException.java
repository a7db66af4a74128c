package dev.bascule.ffi;

/**
 * A system call failed. The message says which step, on what object, the errno by name and number, and what to do
 * about it. Control path only; the data path reports counts.
 */
public final class NativeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String step;
    private final String object;
    private final int errno;
    private final String remedy;

    /**
     * @param step what was being done, for example {@code mlock} or {@code VFIO_IOMMU_MAP_DMA}
     * @param object on what, for example a path or {@code 64 MiB at 0x7f...}
     * @param errno error number
     */
    public NativeException(String step, String object, int errno) {
        this(step, object, errno, Remedies.find(step, object, errno));
    }

    /** As above with the remedy given; an empty one is left out of the message. */
    public NativeException(String step, String object, int errno, String remedy) {
        super(step + " " + object + ": " + Errno.name(errno) + " (" + errno + ")"
                + (remedy.isEmpty() ? "" : ". " + remedy));
        this.step = step;
        this.object = object;
        this.errno = errno;
        this.remedy = remedy;
    }

    /** The exception for this thread's last call, which must have failed. */
    static NativeException last(String step, String object) {
        return new NativeException(step, object, NativeCall.errno());
    }

    /** Step that failed. */
    public String step() {
        return step;
    }

    /** On what. */
    public String object() {
        return object;
    }

    /** Error number, see {@link Errno}. */
    public int errno() {
        return errno;
    }

    /** Error name, for example {@code ENOMEM}. */
    public String errnoName() {
        return Errno.name(errno);
    }

    /** Remedy, with the exact command where there is one; empty if unknown. */
    public String remedy() {
        return remedy;
    }
}
