package dev.bascule.run;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.Path;

/** CPU time and memory of processes, from /proc; 0 where it does not tell. */
public final class ProcessUse {
    private ProcessUse() {}

    static double ownCpuSeconds() {
        return ProcessHandle.current().info().totalCpuDuration().map(time -> time.toNanos() / 1e9).orElse(0.0);
    }

    static long residentBytes(long pid) {
        return field(pid, "VmRSS:");
    }

    static long peakResidentBytes() {
        return field(ProcessHandle.current().pid(), "VmHWM:");
    }

    private static long field(long pid, String name) {
        try {
            for (String line : KernelText.lines(Path.of("/proc/" + pid + "/status"))) {
                if (line.startsWith(name)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
        } catch (IOException e) {
            return 0;
        }
        return 0;
    }
}
