package dev.bascule.model.cndm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Faults planted in the model, one at a time, and what is red then: the table of the page {@code corundum.md}. */
@Tag("long")
class CndmFaultsTest {
    private static final String PACKAGE = CndmFaultsTest.class.getPackageName() + ".";
    private static final Path SOURCES = Path.of("src/main/java", PACKAGE.replace('.', '/'));
    private static final Pattern ARGUMENT = Pattern.compile("\\[\\d+] (?:name=)?(\\S+)");

    @TempDir
    private Path folder = Path.of("");

    /** A change of one place of a source. */
    record Fault(String name, String file, String right, String wrong) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Fault> faults() {
        List<Fault> faults = new ArrayList<>(ofQueues());
        faults.addAll(ofPorts());
        faults.addAll(ofTheRest());
        return faults;
    }

    private static List<Fault> ofQueues() {
        String file = "CndmQueue";
        return List.of(
                new Fault("queues never fill", file, "(producer - consumer & POINTER_MASK) >>> logEntries != 0",
                        "false"),
                new Fault("the phase bit never turns", file, "(producer >>> logEntries & 1) == 0", "true"),
                new Fault("an acknowledge without arm disarms", file, "armed |= notifies", "armed = notifies"),
                new Fault("bound numbers of eight bits", file, "bound = value & QUEUES - 1", "bound = value & 0xFF"),
                new Fault("a queue that fired stays armed", file, "            armed = false;\n", ""),
                new Fault("a queue that is created anew remembers", file,
                        "remembered = false;\n                logEntries", "logEntries"),
                new Fault("an arm waits when nothing is unread (notifications follow pointers)", file,
                        "enabled && armed && remembered", "enabled && armed && remembered && producer != consumer"),
                new Fault("work pointers of 15 bits", file, "consumer = consumer + 1 & POINTER_MASK",
                        "consumer = consumer + 1 & 0x7FFF"),
                new Fault("all pointers of 15 bits", file, "POINTER_MASK = 0xFFFF", "POINTER_MASK = 0x7FFF"));
    }

    private static List<Fault> ofPorts() {
        String file = "CndmPort";
        String part = "int part = Math.min(lengthBytes, entrySegment.get(SHORT, 4) & 0xFFFF);";
        return List.of(
                new Fault("entries go into queues of another kind", file, "!queue.is(kind) || queue.isFull()",
                        "!queue.enabled || queue.isFull()"),
                new Fault("a short buffer is overrun", file, part, "int part = lengthBytes;"),
                new Fault("the reported length is cut to the buffer", file, part,
                        part.replace("int part", "lengthBytes") + " int part = lengthBytes;"),
                new Fault("long received frames are not cut", file,
                        "Math.min(arrived.headLength(), FRAME_MEMORY_BYTES)",
                        "arrived.headLength()"),
                new Fault("a long frame is sent as it lay in memory", file, "txFrame.wrap(txLength);", ""),
                new Fault("frames in flight are bound anew", file, "complete(txCompletions,",
                        "complete(work[txSelected].bound,"),
                new Fault("the selected queue is kept while it lives", file, "txSelected = queue.number;",
                        "txSelected = work[txSelected].is(SEND_QUEUE) ? txSelected : queue.number;"),
                new Fault("destroy looks at the kind", file,
                        "(notifies ? notify : work)[queue & QUEUES - 1].write(0, 0);",
                        "if ((notifies ? notify : work)[queue & QUEUES - 1].is(kind)) {"
                                + " (notifies ? notify : work)[queue & QUEUES - 1].write(0, 0); }"),
                new Fault("a completion does not wait for the report", file, "holdReports || !device.isOver(txDue)",
                        "false"),
                new Fault("too long a frame does not stop the port", file, "txLength > LONGEST_SENT_BYTES", "false"),
                new Fault("frames wait for a descriptor", file, "noDescriptor++;", "return 0;"),
                new Fault("event queues need bit 31 to interrupt", file,
                        "} else {\n            device.interrupt(",
                        "} else if (queue.interrupts) {\n device.interrupt("),
                new Fault("eight bits of seconds", file, "(1 << STAMP_SECONDS_BITS) - 1", "0xFF"),
                new Fault("the selection cannot be read", file, "case TX_SELECTION -> txSelected;",
                        "case TX_SELECTION -> 0;"));
    }

    private static List<Fault> ofTheRest() {
        return List.of(
                new Fault("a full pool is answered with an echo", "CndmMailbox", "refuse(STATUS_NO_MEMORY)",
                        "STATUS_NO_MEMORY"),
                new Fault("the mailbox ignores byte lanes", "CndmMailbox", "memory[word] & ~mask | value & mask",
                        "value"),
                new Fault("interrupts are not spaced", "CndmDevice", "setIntervalMicros(INTERRUPT_MICROS)",
                        "setIntervalMicros(0)"));
    }

    /** Classes of this package from a folder or, if they are not there, as they are; all others are the test's own. */
    private static final class Patched extends ClassLoader {
        private final Path classes;

        Patched(Path classes) {
            super(CndmFaultsTest.class.getClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? define(name) : known;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            Path patched = classes.resolve(file);
            try (InputStream in = Files.exists(patched)
                    ? Files.newInputStream(patched)
                    : getParent().getResourceAsStream(file)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private Patched plant(Fault fault) throws IOException {
        String source = Files.readString(SOURCES.resolve(fault.file + ".java"));
        assertThat(source.split(Pattern.quote(fault.right), -1)).as("one place: %s", fault.right).hasSize(2);
        Path file = Files.writeString(folder.resolve(fault.file + ".java"), source.replace(fault.right, fault.wrong));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            assertThat(compiler.getTask(problems, files, null,
                    List.of("-nowarn", "-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
                            folder.toString()),
                    null, files.getJavaFileObjects(file)).call()).as(problems.toString()).isTrue();
        }
        return new Patched(folder);
    }

    /** Names of what is red with the fault, as the page has them: captures, then tests of what no capture has. */
    private static String caught(Patched loader) throws ClassNotFoundException {
        TreeSet<String> captures = new TreeSet<>();
        TreeSet<String> tests = new TreeSet<>();
        LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request().selectors(
                DiscoverySelectors.selectMethod(loader.loadClass(CndmVectorReplayTest.class.getName()),
                        "capturedRunReplaysWithoutDifference", String.class.getName()),
                DiscoverySelectors.selectClass(loader.loadClass(CndmDeviceTest.class.getName()))).build(),
                new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        if (test.isTest() && result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                            Matcher capture = ARGUMENT.matcher(test.getDisplayName());
                            if (test.getUniqueId().contains("capturedRunReplays") && capture.find()) {
                                captures.add(capture.group(1));
                            } else {
                                tests.add("`CndmDeviceTest." + method(test.getUniqueId()) + "`");
                            }
                        }
                    }
                });
        return String.join(", ", Stream.concat(captures.stream(), tests.stream()).toList());
    }

    private static String method(String id) {
        Matcher found = Pattern.compile("(?:method|test-template):(\\w+)\\(").matcher(id);
        return found.find() ? found.group(1) : id;
    }

    private static List<String> rows() throws IOException {
        return Files.readString(Path.of("src/site/markdown/corundum.md")).lines()
                .dropWhile(line -> !line.startsWith("| planted | caught by")).skip(2)
                .takeWhile(line -> line.startsWith("| ")).toList();
    }

    @ByTurns(of = 3)
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsCaughtByWhatThePageSays(Fault fault) throws Exception {
        String caught = caught(plant(fault));
        assertThat(caught).as("what is red").isNotEmpty();
        assertThat(rows()).contains("| " + fault + " | " + caught + " |");
    }

    @Test
    void thePageHasTheseFaultsAndNoOthers() throws Exception {
        assertThat(rows().stream().map(row -> row.substring(2, row.indexOf(" | "))).toList())
                .containsExactlyInAnyOrderElementsOf(faults().stream().map(Fault::name).toList());
    }
}
