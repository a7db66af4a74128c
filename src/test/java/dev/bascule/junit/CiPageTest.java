package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.json.JsonReader;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The page for CI users: its tests are compiled and run, its workflow is read. */
class CiPageTest {
    private static final String PAGE = "src/site/markdown/ci.md";
    private static final Pattern SCRIPT = Pattern.compile("(?:\\.\\./bascule/|(?<=\\s|&& ))(scripts/\\w+)");

    @TempDir
    private Path folder = Path.of("");

    private Inner run(String test) throws Exception {
        try (URLClassLoader loader = PageSources.compile(PageSources.files(PAGE), folder)) {
            return Inner.run(loader.loadClass(test));
        }
    }

    @Test
    void theTestOfAPolicyPassesOverBothTransports() throws Exception {
        Inner run = run("MyPolicyTest");
        assertThat(run.failures()).isEmpty();
        assertThat(run.passed()).containsExactlyInAnyOrder("wave", "swap", "wave", "swap");
    }

    @Test
    void theTestOfAProgramPassesOnEachCard() throws Exception {
        Inner run = run("MyProgramTest");
        assertThat(run.failures()).isEmpty();
        assertThat(run.passed()).containsExactly("cndm", "corundum", "enso", "virtio");
    }

    private static String element(String text, String name) {
        Matcher element = Pattern.compile("<" + name + ">([^<]+)</" + name + ">").matcher(text);
        assertThat(element.find()).as(name).isTrue();
        return element.group(1);
    }

    @ParameterizedTest
    @ValueSource(strings = { PAGE, "src/site/markdown/index.md" })
    void theCoordinatesAreThoseOfThePom(String page) {
        String pom = PageSources.read("pom.xml");
        String dependency = PageSources.fence(page, "xml", "<dependency>");
        for (String name : new String[] { "groupId", "artifactId", "version" }) {
            assertThat(element(dependency, name)).isEqualTo(element(pom, name));
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> steps() {
        Map<String, Object> workflow = (Map<String, Object>) new Load(LoadSettings.builder().build())
                .loadFromString(PageSources.fence(PAGE, "yaml", "jobs:"));
        assertThat(workflow).containsKeys("name", "on", "env", "jobs");
        Map<String, Object> job = ((Map<String, Map<String, Object>>) workflow.get("jobs")).get("test");
        return (List<Map<String, Object>>) job.get("steps");
    }

    @Test
    void theWorkflowTakesTheJdkThatTheBuildNeeds() {
        assertThat(steps()).filteredOn(step -> String.valueOf(step.get("uses")).startsWith("actions/setup-java"))
                .singleElement().satisfies(step -> assertThat(step.get("with").toString()).contains(
                        "java-version=" + element(PageSources.read("pom.xml"), "maven.compiler.release")));
    }

    @Test
    void theWorkflowsScriptsAreBashAndCallFilesThatExist() throws Exception {
        List<String> called = new ArrayList<>();
        for (Map<String, Object> step : steps()) {
            assertThat(step.keySet()).as("GitHub wants one of them").containsAnyOf("run", "uses");
            if (step.get("run") instanceof String script) {
                Path file = Files.writeString(folder.resolve("step.sh"), script);
                Process bash = new ProcessBuilder("bash", "-n", file.toString()).inheritIO().start();
                assertThat(bash.waitFor()).as(script).isZero();
                SCRIPT.matcher(script).results().forEach(one -> called.add(one.group(1)));
            }
        }
        assertThat(called).containsExactly("scripts/mvnw")
                .allMatch(name -> Files.isExecutable(PageSources.BASE.resolve(name)));
        assertThat(steps().getLast().get("run")).isEqualTo("./ci"); // which ConsumerTest runs in a new project
    }

    /** A container of the Debian that the lane of bare machines has, made by the command that the lane runs there. */
    @Test
    void theDevcontainerIsWhatTheLaneOfBareMachinesTries() throws Exception {
        Map<?, ?> container = (Map<?, ?>) JsonReader.parse(PageSources.read(".devcontainer/devcontainer.json"));
        String lane = PageSources.read("scripts/bare");
        assertThat(container.keySet()).hasToString("[name, image, postCreateCommand]");
        Matcher suite = Pattern.compile("\nSUITE=(\\w+)\n").matcher(lane);
        assertThat(suite.find()).isTrue();
        assertThat(container.get("image")).isEqualTo("debian:" + suite.group(1));
        String command = container.get("postCreateCommand").toString();
        assertThat(lane).as("as a user and as root").contains("there \"$1\" " + command);
        assertThat(PageSources.read("README.md")).contains(command);
    }
}
