package dev.bascule.model.corundum;

/**
 * The firmware ID block.
 *
 * @param fpgaId JTAG ID of the FPGA
 * @param firmwareId which design
 * @param firmwareVersion its version, major.minor.patch.meta
 * @param boardId subsystem vendor and device; selects the driver's board initialisation
 * @param boardVersion its version
 * @param buildDateSeconds Unix time of the build
 * @param gitHash of the sources
 * @param releaseInfo 0 when not a release
 */
public record CorundumIdentity(int fpgaId, int firmwareId, int firmwareVersion, int boardId, int boardVersion,
        int buildDateSeconds, int gitHash, int releaseInfo) {
    /** A board no driver knows, so that none initialises I2C or a management controller. */
    public static final CorundumIdentity MODEL = new CorundumIdentity(0xB45C01E0, 0, 0x00000100, 0x12340001, 0x01000000,
            0x66400000, 0, 0);
}
