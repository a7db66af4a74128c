package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the programs that the tutorial shows; its commands: {@link PagesRunTest}. */
class TutorialTest {
    private static final Path PAGE = Path.of("src/site/markdown/tutorial.md");
    private static final Pattern FILE = Pattern.compile("```java file=(\\w+)\\.java\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    @Test
    void everyProgramOfTheTutorialCompilesAndRuns() throws Exception {
        List<String> names = new ArrayList<>();
        List<String> command = new ArrayList<>(List.of("-nowarn", "-proc:none", "-d", folder.toString(), "-cp",
                String.join(":", classPath())));
        Matcher file = FILE.matcher(Files.readString(PAGE));
        while (file.find()) {
            names.add(file.group(1));
            Path source = folder.resolve(file.group(1) + ".java");
            Files.writeString(source, file.group(2));
            command.add(source.toString());
        }
        assertThat(names).containsExactly("LifoAgent", "StepByStep", "Simulated", "Live", "Packets");
        StringWriter problems = new StringWriter();
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, command.toArray(String[]::new));
        assertThat(status).as("compiles: %s", problems).isZero();
        try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
                getClass().getClassLoader())) {
            for (String name : names.subList(1, names.size())) {
                loader.loadClass(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            }
        }
    }

    private static Set<String> classPath() throws Exception {
        Set<String> path = new LinkedHashSet<>();
        path.add(Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        path.add(System.getProperty("java.class.path"));
        String modules = System.getProperty("jdk.module.path");
        if (modules != null) {
            path.add(modules);
        }
        return path;
    }
}
