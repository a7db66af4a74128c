package dev.bascule.model.wire;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.model.FrameRing;
import dev.bascule.model.WireEnd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * A TAP interface of the Linux kernel for a cable: what the device sends arrives at the interface, and the other way
 * round. The interface ends with the wire, unless it was made persistent beforehand. While it is down, frames are lost.
 * <p>
 * Thread rule: {@code transmit} and {@code poll} from the thread of the port's device, {@code check} from any.
 */
public final class TapWire implements WireEnd {
    private static final String DEVICE = "/dev/net/tun";
    private static final long TUNSETIFF = 0x400454caL;
    private static final int IFF_TAP = 2;
    private static final int IFF_NO_PI = 0x1000;
    private static final int IFREQ_BYTES = 40;
    private static final int NAME_BYTES = 15;

    private final String name;
    private final Fd fd;
    private final MemorySegment buffer = Arena.ofAuto().allocate(FrameRing.MAX_FRAME_BYTES, 8);
    private final byte[] frame = new byte[FrameRing.MAX_FRAME_BYTES];

    private volatile boolean gone;

    private TapWire(String name, Fd fd) {
        this.name = name;
        this.fd = fd;
    }

    /**
     * Makes, or attaches to, an interface.
     *
     * @param name of the interface, 1 to 15 characters
     * @throws DeviceException when the kernel does not allow it; the message has the command that helps
     */
    public static TapWire open(String name) {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        if (text.length == 0 || text.length > NAME_BYTES || name.chars().anyMatch(c -> c <= ' ' || c == '/')) {
            throw new IllegalArgumentException("'" + name + "' is no name of an interface: 1 to 15 letters or digits");
        }
        Fd opened = null;
        try (Arena arena = Arena.ofConfined()) {
            opened = Libc.open(DEVICE, Linux.O_RDWR | Linux.O_NONBLOCK);
            MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
            MemorySegment.copy(text, 0, request, ValueLayout.JAVA_BYTE, 0, text.length);
            request.set(ValueLayout.JAVA_SHORT, 16, (short) (IFF_TAP | IFF_NO_PI));
            opened.ioctl("TUNSETIFF", TUNSETIFF, request);
            return new TapWire(name, opened);
        } catch (NativeException e) {
            if (opened != null) {
                opened.close();
            }
            throw new DeviceException("open TAP interface", name, e.errnoName(), remedy(e.errno(), name), e);
        }
    }

    private static String remedy(int errno, String name) {
        return switch (errno) {
            case Errno.ENOENT -> "this kernel has no TAP: modprobe tun, or use another wire";
            case Errno.EBUSY -> "another process uses it; choose another name";
            default -> "as root: ip tuntap add dev " + name + " mode tap user $USER; ip link set " + name + " up";
        };
    }

    @Override
    public boolean transmit(byte[] data, int offset, int lengthBytes) {
        MemorySegment.copy(data, offset, buffer, ValueLayout.JAVA_BYTE, 0, lengthBytes);
        try {
            return fd.write(buffer.asSlice(0, lengthBytes)) == lengthBytes;
        } catch (NativeException e) {
            look(e); // else down (EIO), or a frame too short for the kernel (EINVAL)
            return false;
        }
    }

    @Override
    public int poll(FrameSink sink, int budget) {
        int count = 0;
        while (count < budget) {
            long bytes = read();
            if (bytes <= 0) {
                break;
            }
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, frame, 0, (int) bytes);
            sink.frame(frame, 0, (int) bytes);
            count++;
        }
        return count;
    }

    private long read() {
        try {
            return fd.read(buffer);
        } catch (NativeException e) {
            look(e); // else down
            return 0;
        }
    }

    private void look(NativeException failure) {
        if (failure.errno() == Errno.EBADFD) {
            gone = true; // deleted: it does not come back, one of the same name is another
        }
    }

    /** False once the interface was deleted. */
    @Override
    public boolean isUp() {
        return !gone;
    }

    @Override
    public void check() {
        if (gone) {
            throw new DeviceException("use TAP interface", name, "it is gone: EBADFD",
                    "somebody deleted it (ip link delete); make it again and start this command anew");
        }
    }

    @Override
    public void close() {
        fd.close();
    }
}
