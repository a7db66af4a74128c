package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The floor plan against the compiled classes: its drawings, its table of packages, its reading path. Drawings and
 * tables are made here, by {@code -Dbascule.goldens=write}.
 */
class DesignTest {
    private static final Path PAGE = House.BASE.resolve("src/site/markdown/design.md");
    private static final Pattern FILE = Pattern.compile("(?m)^\\d\\. `([\\w/]+)`");
    private static final int FILES = 6;

    private static final Way DECISION = Way.of("The way of a decision", """
            Host | | host.Admission.wake | a task can run
            | calls | agent.Mechanism.wakeup | its state, its sequence number
            | calls | agent.region.RegionHost.post | a message for its agent
            | calls | agent.region.LineOutbox.post | a sealed line of the channel
            Agent | memory agent.region.NicLayout.channel | agent.region.LineInbox.peek | whole lines only
            | returns | agent.region.RegionAgent.peek | the agent's end
            | returns | agent.QueueAgent.doWork | a round of work
            | calls | policy.FifoAgent.pick | the policy: this task next
            | returns | agent.QueueAgent.fill | a transaction with what it saw
            | calls | agent.region.RegionAgent.stage | written; commit shows it
            | calls | wave.WaveAgentSlots.write | a slot of Wave's queue
            & | calls | swap.SwapAgentCpu.stage | the cell, when it is owned
            Host's CPU | memory wave.WaveLayout.slot | wave.WaveCpu.poll | of this epoch, and whole
            & | memory swap.SwapLayout.agentLine | swap.SwapCpu.poll | promised for its offer
            | returns | agent.region.RegionHost.poll | a decision, not yet trusted
            & | returns | |
            | returns | agent.Mechanism.decideAlone | is the task still as seen?
            | returns | host.Dispatcher.decide | under this CPU's own lock
            | returns | host.LiveHost.runCpu | the CPU's loop
            | calls | host.LiveTask.runOn | the task has the CPU
            """);

    private static final Way PACKET = Way.of("The way of a packet", """
            Application | | app.Forwarder.run | a burst: poll, write, commit
            Driver | calls | nic.corundum.CorundumTxQueue.write | frames, without a copy
            & | calls | nic.corundum.CorundumTxQueue.commit | once for the burst
            | calls | nic.corundum.DescriptorRing.put | address and length
            & | calls | nic.corundum.DescriptorRing.commit | the ring's new tail
            | - | - | -
            & | calls | ring.Doorbell.ring | one store to the card
            Card, or its model | memory device.AddressSpace.map | loopback.LoopbackDma.read | host memory, by DMA
            & | memory nic.corundum.DoorbellRegister.at | loopback.LoopbackBar.write | the BAR's register
            | - | - | -
            & | calls | model.corundum.CorundumModel.write | posted, in order
            | returns | model.corundum.CorundumModel.poll | descriptor, then frame
            & | memory model.corundum.PostedWrites.drainTo | |
            | calls | model.corundum.Wire.transmit | out by the cable
            & | calls | loopback.LoopbackDma.write | in: frame, completion
            Driver | - | nic.corundum.CompletionRing.ready | records that are written
            & | memory device.AddressSpace.map | |
            | returns | nic.corundum.CorundumRxQueue.poll | a batch of frames
            Application | returns | app.Forwarder.run | the next burst
            """);

    private static JavaClasses classes = new ClassFileImporter().importClasses();

    @BeforeAll
    static void readTheClasses() {
        classes = new ClassFileImporter().importPath(House.BUILD.resolve("classes"));
    }

    @Test
    void everyArrowIsInTheClasses() {
        assertThat(DECISION.objections(classes)).isEmpty();
        assertThat(PACKET.objections(classes)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "calls | policy.FifoAgent.enqueue", "returns | host.Dispatcher.decide",
            "memory swap.SwapLayout.agentLine | wave.WaveCpu.poll", "calls | policy.FifoAgent.gone" })
    void anArrowThatTheClassesDoNotShowIsRefused(String step) {
        assertThat(Way.of("", "Host | | agent.region.RegionAgent.stage | a\n | " + step + " | b").objections(classes))
                .isNotEmpty();
    }

    @Test
    void theDrawingsAreWhatTheStepsSay() throws IOException {
        Path images = House.BASE.resolve("src/site/resources/images");
        Golden.check(images.resolve("way-of-a-decision.svg").toString(), WayDrawing.svg(DECISION));
        Golden.check(images.resolve("way-of-a-packet.svg").toString(), WayDrawing.svg(PACKET));
    }

    @Test
    void theTablesAreWhatTheClassesSay() throws IOException {
        String page = House.read(PAGE);
        page = with(page, "decision", DECISION.text());
        page = with(page, "packet", PACKET.text());
        Golden.check(PAGE.toString(), with(page, "floors", floors(between(page, "floors"))));
    }

    @Test
    void eachFileOfTheReadingPathNamesTheNext() {
        List<String> files = FILE.matcher(between(House.read(PAGE), "path")).results().map(found -> found.group(1))
                .toList();
        assertThat(files).hasSize(FILES).startsWith("cli/RunCommand").last().asString().endsWith("Doorbell");
        for (int i = 1; i < files.size(); i++) {
            String here = Layers.ROOT + files.get(i - 1).replace('/', '.');
            String next = Layers.ROOT + files.get(i).replace('/', '.');
            assertThat(House.MAIN.resolve(next.replace('.', '/') + ".java")).isRegularFile();
            assertThat(classes.stream().filter(type -> (type.getName() + "$").startsWith(here + "$"))
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .map(use -> use.getTargetClass().getName())).as(here).contains(next);
        }
    }

    /** Text between the marks of a part that is made here. */
    private static String between(String page, String part) {
        String begin = "<!-- " + part + " -->\n";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf("<!-- end of " + part + " -->");
        assertThat(page.contains(begin) && to >= from).as("marks of %s in %s", part, PAGE.getFileName()).isTrue();
        return page.substring(from, to);
    }

    private static String with(String page, String part, String text) {
        String mark = "<!-- " + part + " -->\n";
        return page.replace(mark + between(page, part), mark + text);
    }

    /** The table with names and prose as they are, and what {@link Layers} says of each floor between. */
    private static String floors(String table) {
        List<String> lines = table.lines().skip(2).toList();
        assertThat(lines).as("a line a floor, as Layers.ROWS has them").hasSameSizeAs(Layers.ROWS);
        StringBuilder text = new StringBuilder("""
                | floor | packages | jar | must not use, beside all above | what is there |
                | --- | --- | --- | --- | --- |
                """);
        for (int row = 0; row < lines.size(); row++) {
            String[] cells = lines.get(row).split(" \\| | \\|$");
            List<String> tops = Layers.ROWS.get(row);
            text.append(cells[0]).append(" | ").append(packages(tops)).append(" | ")
                    .append(tops.getFirst().startsWith(Layers.STUDY) ? "study" : "product").append(" | ")
                    .append(forbidden(row)).append(" | ").append(cells[cells.length - 1]).append(" |\n");
        }
        return text.toString();
    }

    private static String packages(List<String> tops) {
        Set<String> names = new TreeSet<>();
        classes.forEach(type -> names.add(type.getPackageName()));
        return names.stream().filter(name -> tops.contains(Layers.top(name)))
                .map(name -> "`" + name.substring(Layers.ROOT.length()) + "`").collect(Collectors.joining(", "));
    }

    /** Packages that a floor must not come to use though they are not above: its neighbours, and some below. */
    private static String forbidden(int row) {
        List<String> tops = Layers.ROWS.get(row);
        List<String> lower = Layers.ROWS.subList(row + 1, Layers.ROWS.size()).stream().flatMap(List::stream).toList();
        List<String> never = lower.stream().filter(to -> tops.stream()
                .allMatch(from -> Layers.objection(Layers.ROOT + from, Layers.ROOT + to).isPresent())).toList();
        List<String> words = new ArrayList<>();
        if (tops.size() > 1) {
            words.add("each other");
        }
        if (never.size() == lower.size() - 1) {
            words.add("all but `" + lower.stream().filter(to -> !never.contains(to)).findFirst().orElseThrow() + "`");
        } else {
            never.forEach(to -> words.add("`" + to + "`"));
        }
        return String.join(", ", words);
    }
}
