package dev.bascule.host.lauberhorn;

import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process of the operating system that serves what a test asks for, by the name of the services' maker. */
final class TestProcess {
    private TestProcess() {}

    /** Makes services in the process. */
    interface Maker {
        List<JavaService> services();
    }

    /** Starts a process that joins the host of the directory. */
    static Process start(Path directory, String name, Class<? extends Maker> maker) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-Xmx64m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), TestProcess.class.getName(), directory.toString(), name,
                maker.getName()));
        return new ProcessBuilder(command).inheritIO().start();
    }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Maker maker = (Maker) Class.forName(arguments[2]).getDeclaredConstructor().newInstance();
        try (ServiceProcess process = ServiceProcess.join(Path.of(arguments[0]), arguments[1], maker.services(),
                () -> IdleStrategy.spinThenYield(100))) {
            process.awaitEnd(-1);
        }
    }
}
