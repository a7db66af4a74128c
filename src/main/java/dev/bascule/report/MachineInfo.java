package dev.bascule.report;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The machine a figure comes from. Holds no host or user name.
 *
 * @param cpu model name
 * @param cores CPUs this process may use
 * @param memoryBytes installed memory, 0 when unknown
 * @param kernel operating system and release
 * @param jdk vendor and version
 */
public record MachineInfo(String cpu, int cores, long memoryBytes, String kernel, String jdk) {

    /** This machine. */
    public static MachineInfo current() {
        return read(Path.of("/proc/cpuinfo"), Path.of("/proc/meminfo"));
    }

    static MachineInfo read(Path cpuInfo, Path memInfo) {
        String arch = System.getProperty("os.arch");
        String model = field(cpuInfo, "model name");
        String part = field(cpuInfo, "CPU part");
        String cpu = !model.isEmpty() ? model : part.isEmpty() ? arch : arch + ", part " + part;
        String kib = field(memInfo, "MemTotal").replaceAll("[^0-9]", "");
        return new MachineInfo(cpu, Runtime.getRuntime().availableProcessors(),
                kib.isEmpty() ? 0 : Long.parseLong(kib) << 10,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " " + arch,
                System.getProperty("java.vendor") + " " + System.getProperty("java.runtime.version"));
    }

    private static String field(Path file, String name) {
        try {
            return KernelText.lines(file).stream().filter(l -> l.startsWith(name))
                    .map(l -> l.substring(l.indexOf(':') + 1).strip()).findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }
}
