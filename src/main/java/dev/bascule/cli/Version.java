package dev.bascule.cli;

import java.lang.module.ModuleDescriptor;

import picocli.CommandLine.IVersionProvider;

/** The version line: Bascule's version, then the Java that runs it. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] { "bascule " + version(),
                "java " + Runtime.version() + ", " + System.getProperty("java.vm.name") };
    }

    /** From the module descriptor on the module path, from the manifest on the class path. */
    private static String version() {
        ModuleDescriptor descriptor = Main.class.getModule().getDescriptor();
        if (descriptor != null) {
            return descriptor.rawVersion().orElse("(no version)");
        }
        String version = Main.class.getPackage().getImplementationVersion();
        return version == null ? "(not packaged)" : version;
    }
}
