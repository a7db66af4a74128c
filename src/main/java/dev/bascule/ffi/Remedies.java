package dev.bascule.ffi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Remedies for a failed step and its errno: the command where one exists. */
final class Remedies {
    private static final Pattern VFIO_GROUP = Pattern.compile("/dev/vfio/(noiommu-)?\\d+");
    private static final Pattern PAGES = Pattern.compile("(\\d+) hugepages of (\\d+) KiB");

    private Remedies() {}

    static String find(String step, String object, int errno) {
        return switch (errno) {
            case Errno.ENOMEM -> outOfMemory(step, object);
            case Errno.EAGAIN -> step.startsWith("mlock") ? memlock() : "";
            case Errno.EPERM -> notPermitted(step, object);
            case Errno.EACCES -> accessDenied(object);
            case Errno.ENOENT, Errno.ENODEV -> missing(object);
            case Errno.EBUSY -> busy(object);
            case Errno.EMFILE -> "Raise the limit of open files: ulimit -n 65536";
            case Errno.ENOSPC -> noSpace(step, object);
            case Errno.ENOSYS -> "This kernel or sandbox has no such call; run on Linux 5.4 or newer, outside seccomp";
            case Errno.EADDRINUSE -> "Another process uses it; stop that process or remove the file: rm " + object;
            case Errno.ECONNREFUSED -> "Nobody listens there; start the other side first";
            default -> "";
        };
    }

    /** The remedy for a refused lock or pin of memory, naming both the momentary and the lasting command. */
    static String memlock() {
        return "The limit of locked memory is too low: ulimit -l unlimited (as root: prlimit --pid $$"
                + " --memlock=unlimited), or for good: echo '* - memlock unlimited' >>"
                + " /etc/security/limits.conf and log in again";
    }

    private static String outOfMemory(String step, String object) {
        if (step.contains("HUGETLB") || PAGES.matcher(object).find()) {
            return hugepages(object);
        }
        if (step.startsWith("mlock") || step.contains("MAP_DMA") || step.contains("IOAS_MAP")) {
            return memlock();
        }
        if (step.startsWith("mmap")) {
            return "Not enough memory or address space; ask for less, or see ulimit -v and vm.max_map_count";
        }
        return "";
    }

    private static String hugepages(String object) {
        Matcher m = PAGES.matcher(object);
        String count = m.find() ? m.group(1) : "64";
        String kib = m.reset().find() ? m.group(2) : "2048";
        if (kib.equals("2048")) {
            return "Reserve hugepages: echo " + count + " > /proc/sys/vm/nr_hugepages (as root)";
        }
        return "Reserve hugepages: echo " + count + " > /sys/kernel/mm/hugepages/hugepages-" + kib
                + "kB/nr_hugepages (as root)";
    }

    private static String notPermitted(String step, String object) {
        if (step.startsWith("mlock")) {
            return memlock();
        }
        if (step.contains("HUGETLB")) {
            return "Hugepages need CAP_IPC_LOCK or the group of /proc/sys/vm/hugetlb_shm_group";
        }
        if (step.startsWith("setrlimit")) {
            return "Only root may raise a hard limit: prlimit --pid PID as root";
        }
        if (step.contains("GET_DEVICE_FD") || step.contains("VFIO_GROUP")) {
            return "Every device of the IOMMU group must be bound to vfio-pci or have no driver: ls -l"
                    + " /sys/kernel/iommu_groups/N/devices";
        }
        if (object.startsWith("/dev/")) {
            return accessDenied(object);
        }
        return "Run as root or with the missing capability";
    }

    private static String accessDenied(String object) {
        if (VFIO_GROUP.matcher(object).matches() || object.startsWith("/dev/")) {
            return "Give yourself the device: sudo chown $USER " + object;
        }
        if (object.startsWith("/")) {
            return "Check the owner and mode: ls -l " + object;
        }
        return "";
    }

    private static String missing(String object) {
        if (object.equals("/dev/vfio/vfio")) {
            return "Load the driver: sudo modprobe vfio-pci";
        }
        if (VFIO_GROUP.matcher(object).matches()) {
            return "Bind the device to vfio-pci: echo vfio-pci > /sys/bus/pci/devices/ADDRESS/driver_override; echo"
                    + " ADDRESS > /sys/bus/pci/drivers_probe";
        }
        if (object.startsWith("/dev/hugepages")) {
            return "Mount it: sudo mount -t hugetlbfs none /dev/hugepages";
        }
        return object.startsWith("/") ? "Check the path: ls -l " + object : "";
    }

    private static String busy(String object) {
        if (object.startsWith("/dev/")) {
            return "Another process has it open: sudo fuser -v " + object;
        }
        return "";
    }

    private static String noSpace(String step, String object) {
        if (step.contains("HUGETLB") || object.startsWith("/dev/hugepages")) {
            return hugepages(object);
        }
        if (object.startsWith("/dev/shm")) {
            return "Free some of it or make it larger: df -h /dev/shm; sudo mount -o remount,size=4G /dev/shm";
        }
        return object.startsWith("/") ? "Free some space: df -h " + object : "";
    }
}
