package dev.bascule.vfio;

/** Notice of the kernel to the process that holds a device. */
public enum VfioNotice {
    /** It wants the device back: somebody unbinds or removes it, and waits until it is closed. */
    GIVE_BACK,
    /** The device has reported an uncorrectable error (AER), and the kernel is at work on it. */
    ERROR
}
