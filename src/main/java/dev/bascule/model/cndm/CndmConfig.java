package dev.bascule.model.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.FIRMWARE_LITE;
import static dev.bascule.nic.cndm.CndmRegisters.FIRMWARE_MICRO;

import dev.bascule.config.ModelTiming;

/**
 * Parameters that a cndm design was synthesised with. Immutable.
 *
 * @param ports 1 to 8
 * @param fpgaId JTAG identity of the FPGA
 * @param firmwareId profile: micro or lite
 * @param firmwareVersion its version
 * @param boardId PCI subsystem: vendor in the upper half
 * @param boardVersion its version
 * @param buildDate seconds since 1970
 * @param gitHash first word of the commit's hash
 * @param releaseInfo of the build
 * @param macAddress Ethernet address that the board has for port 0, the others follow; 0 for a board without a
 * controller
 * @param timing when the device answers
 */
public record CndmConfig(int ports, int fpgaId, int firmwareId, int firmwareVersion, int boardId, int boardVersion,
        int buildDate, int gitHash, int releaseInfo, long macAddress, ModelTiming timing) {
    /** Profile micro for an Alveo U50, two ports, with addresses, answering at once. */
    public static final CndmConfig MICRO = new CndmConfig(2, 0x14B77093, FIRMWARE_MICRO, 0x1000, 0x10EE9032, 0x100000,
            0x6A860000, 0x2F2FE728, 0, 0x0200_0000_0001L, ModelTiming.IMMEDIATE);

    private static final int MOST_PORTS = 8;

    /** Checks ranges; {@link IllegalArgumentException} names the value that does not fit. */
    public CndmConfig {
        if (ports < 1 || ports > MOST_PORTS) {
            throw new IllegalArgumentException("cndm: " + ports + " ports; there can be 1 to " + MOST_PORTS);
        }
        if (firmwareId != FIRMWARE_MICRO && firmwareId != FIRMWARE_LITE) {
            throw new IllegalArgumentException("cndm: firmware id 0x" + Integer.toHexString(firmwareId)
                    + "; there are 0xc001 (micro) and 0xc002 (lite)");
        }
        if (macAddress >>> 48 != 0) {
            throw new IllegalArgumentException(
                    "cndm: an Ethernet address of more than 48 bits: 0x" + Long.toHexString(macAddress));
        }
    }

    /** With another number of ports. */
    public CndmConfig withPorts(int count) {
        return new CndmConfig(count, fpgaId, firmwareId, firmwareVersion, boardId, boardVersion, buildDate, gitHash,
                releaseInfo, macAddress, timing);
    }

    /** Profile lite, else the same. */
    public CndmConfig lite() {
        return new CndmConfig(ports, fpgaId, FIRMWARE_LITE, firmwareVersion, boardId, boardVersion, buildDate, gitHash,
                releaseInfo, macAddress, timing);
    }

    /** With a board that has Ethernet addresses from this one on; 0 for a board without a controller. */
    public CndmConfig withMacAddress(long first) {
        return new CndmConfig(ports, fpgaId, firmwareId, firmwareVersion, boardId, boardVersion, buildDate, gitHash,
                releaseInfo, first, timing);
    }

    /** With another timing. */
    public CndmConfig withTiming(ModelTiming other) {
        return new CndmConfig(ports, fpgaId, firmwareId, firmwareVersion, boardId, boardVersion, buildDate, gitHash,
                releaseInfo, macAddress, other);
    }
}
