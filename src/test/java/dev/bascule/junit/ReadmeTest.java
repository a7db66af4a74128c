package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the first page says of the artefact and of tests is so. */
class ReadmeTest {
    private static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", ""));
    private static final Pattern TEST = Pattern.compile("```java\n(class MyPolicyTest .*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    private static String element(String text, String name) {
        Matcher element = Pattern.compile("<" + name + ">([^<]+)</" + name + ">").matcher(text);
        assertThat(element.find()).as(name).isTrue();
        return element.group(1);
    }

    @Test
    void theCoordinatesAreThoseOfThePom() throws Exception {
        String pom = Files.readString(BASE.resolve("pom.xml"));
        String readme = Files.readString(BASE.resolve("README.md"));
        String dependency = readme.substring(readme.indexOf("<dependency>"), readme.indexOf("</dependency>"));
        for (String name : new String[] { "groupId", "artifactId", "version" }) {
            assertThat(element(dependency, name)).isEqualTo(element(pom, name));
        }
    }

    @Test
    void theExampleCompilesAndPassesOverBothTransports() throws Exception {
        Matcher example = TEST.matcher(Files.readString(BASE.resolve("README.md")));
        assertThat(example.find()).as("an example").isTrue();
        Path source = folder.resolve("MyPolicyTest.java");
        Files.writeString(source,
                "import dev.bascule.junit.*;\nimport dev.bascule.policy.FifoAgent;\n" + example.group(1));
        String path = String.join(":",
                Stream.of(SmartNic.class.getProtectionDomain().getCodeSource().getLocation().getPath(),
                        System.getProperty("java.class.path")).toList());
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-nowarn", "-proc:none", "-cp", path,
                "-d",
                folder.toString(), source.toString());
        assertThat(status).as("compiles").isZero();
        try (URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
                getClass().getClassLoader())) {
            Inner run = Inner.run(loader.loadClass("MyPolicyTest"));
            assertThat(run.failures()).isEmpty();
            assertThat(run.passed()).containsExactly("wave", "swap");
        }
    }
}
