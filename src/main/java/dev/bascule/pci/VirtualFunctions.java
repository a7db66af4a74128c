package dev.bascule.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The SR-IOV virtual functions of a physical function, through sysfs. Changing their number needs root. */
public final class VirtualFunctions {
    private final Path folder;
    private final PciAddress address;

    /** The virtual functions of this one, which need not have SR-IOV. */
    public VirtualFunctions(Path sysfs, PciAddress address) {
        this.folder = sysfs.resolve("bus/pci/devices/" + address);
        this.address = address;
    }

    /** How many there can be; 0 without SR-IOV. */
    public int possible() {
        return number("sriov_totalvfs");
    }

    /** How many there are. */
    public int present() {
        return number("sriov_numvfs");
    }

    /** Their addresses in the order of their numbers. */
    public List<PciAddress> list() {
        List<PciAddress> found = new ArrayList<>();
        for (int i = 0; i < present(); i++) {
            try {
                Path target = Files.readSymbolicLink(folder.resolve("virtfn" + i)).getFileName();
                found.add(PciAddress.parse(String.valueOf(target)));
            } catch (IOException | IllegalArgumentException e) {
                break; // going away while looked at
            }
        }
        return found;
    }

    /**
     * Sets their number: the kernel removes the old ones first.
     *
     * @return the new ones
     * @throws PciException when the function or its driver cannot
     */
    public List<PciAddress> create(int count) {
        int possible = possible();
        if (count < 0 || count > possible) {
            throw new PciException("create virtual functions", address.toString(), possible == 0
                    ? "it has no SR-IOV"
                    : count + " are asked for, 0 to " + possible + " are possible", "see: bascule probe " + address);
        }
        try {
            if (present() != 0 && count != 0) {
                write("0"); // another number than 0 is taken only from 0
            }
            write(Integer.toString(count));
        } catch (IOException e) {
            throw new PciException("create virtual functions", address.toString(), "the kernel refused " + count + ": "
                    + e.getMessage(), "run as root; vfio-pci refuses as well unless loaded with enable_sriov=1", e);
        }
        return list();
    }

    private void write(String count) throws IOException {
        Files.writeString(folder.resolve("sriov_numvfs"), count, StandardOpenOption.WRITE);
    }

    private int number(String file) {
        try {
            return Integer.parseInt(Files.readString(folder.resolve(file)).strip());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }
}
