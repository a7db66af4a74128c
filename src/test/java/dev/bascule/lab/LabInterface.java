package dev.bascule.lab;

import dev.bascule.ffi.Fd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A network interface of the guest's own kernel, set up by ioctls (netdevice(7), arp(7)), as the guest may have no tools. */
public final class LabInterface {
    private static final Path INTERFACES = Path.of("/sys/class/net");
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final long SIOCSIFFLAGS = 0x8914;
    private static final long SIOCSIFADDR = 0x8916;
    private static final long SIOCSARP = 0x8955;
    private static final int ATF_COM = 2;
    private static final int ATF_PERM = 4;
    private static final int UP = 1;
    private static final int REQUEST_BYTES = 68;

    private final String name;

    private LabInterface(String name) {
        this.name = name;
    }

    /** The interface that has this Ethernet address, written as sysfs does. */
    public static Optional<LabInterface> of(String mac) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(INTERFACES)) {
            for (Path one : all) {
                if (Files.readString(one.resolve("address")).trim().equals(mac)) {
                    return Optional.of(new LabInterface(one.getFileName().toString()));
                }
            }
        }
        return Optional.empty();
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** Gives it an IPv4 address and nothing of IPv6, and takes it up; its peer needs not be asked for by ARP. */
    public void up(Inet4Address own, Inet4Address peer, byte[] peerMac) throws IOException {
        Files.writeString(Path.of("/proc/sys/net/ipv6/conf", name, "disable_ipv6"), "1");
        try (Arena arena = Arena.ofConfined(); Fd socket = socket()) {
            MemorySegment request = arena.allocate(REQUEST_BYTES, 8);
            byte[] text = name.getBytes(StandardCharsets.US_ASCII);
            MemorySegment.copy(text, 0, request, ValueLayout.JAVA_BYTE, 0, text.length);
            address(request, 16, own);
            socket.ioctl("SIOCSIFADDR", SIOCSIFADDR, request);
            request.asSlice(16).fill((byte) 0);
            request.set(ValueLayout.JAVA_SHORT, 16, (short) UP);
            socket.ioctl("SIOCSIFFLAGS", SIOCSIFFLAGS, request);

            MemorySegment neighbour = request.fill((byte) 0);
            address(neighbour, 0, peer);
            neighbour.set(ValueLayout.JAVA_SHORT, 16, (short) 1); // Ethernet
            MemorySegment.copy(peerMac, 0, neighbour, ValueLayout.JAVA_BYTE, 18, peerMac.length);
            neighbour.set(ValueLayout.JAVA_INT, 32, ATF_COM | ATF_PERM);
            MemorySegment.copy(text, 0, neighbour, ValueLayout.JAVA_BYTE, 52, text.length);
            socket.ioctl("SIOCSARP", SIOCSARP, neighbour);
        }
    }

    private static void address(MemorySegment to, long at, Inet4Address address) {
        to.set(ValueLayout.JAVA_SHORT, at, (short) AF_INET);
        MemorySegment.copy(address.getAddress(), 0, to, ValueLayout.JAVA_BYTE, at + 4, 4);
    }

    private static Fd socket() {
        Linker linker = Linker.nativeLinker();
        try {
            int number = (int) linker.downcallHandle(linker.defaultLookup().find("socket").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT))
                    .invokeExact(AF_INET, SOCK_DGRAM, 0);
            return Fd.adopt(number, "socket");
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
