package dev.bascule.cli;

import dev.bascule.ffi.Libc;
import java.lang.module.ModuleDescriptor;
import picocli.CommandLine.IVersionProvider;

/** Bascule's version, the Java that runs it, and the kernel below, with its page size asked of the kernel. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] { "bascule " + version(),
                "java " + Runtime.version() + ", " + System.getProperty("java.vm.name"),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch") + ", pages of " + Libc.pageSizeBytes() + " bytes" };
    }

    /** From the module descriptor on the module path, from the manifest on the class path. */
    static String version() {
        ModuleDescriptor descriptor = Main.class.getModule().getDescriptor();
        if (descriptor != null) {
            return descriptor.rawVersion().orElse("(no version)");
        }
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
