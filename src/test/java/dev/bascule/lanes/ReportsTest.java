package dev.bascule.lanes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {
    @TempDir
    private Path folder = Path.of("");

    /** Surefire says 0 tests and 0 failures at the head of such a report. */
    @Test
    void nestedTestsAreCountedAndWhatATestPrintsIsNot() throws Exception {
        Files.writeString(folder.resolve("TEST-a.xml"),
                """
                        <testsuite name="Outer" time="0.1" tests="0" errors="0" skipped="0" failures="0">
                          <testcase name="bad" classname="Outer$A" time="0.1">
                            <failure message="no &lt;good&gt;&#10; word" type="Error"><![CDATA[Error: no
                        \tat org.other.Library.call(Library.java:1)
                        \tat dev.bascule.Outer.bad(Outer.java:7)
                        \tat dev.bascule.Main.main(Main.java:9)
                          <testcase name="printed">
                        ]]></failure>
                            <system-out><![CDATA[ ]] > <failure
                          <failure message="printed">
                            <skipped/> ]]></system-out>
                          </testcase>
                          <testcase name="worse" classname="Outer$A" time="0.1">
                            <error message="e" type="Error"><![CDATA[e]]></error>
                          </testcase>
                          <testcase name="good" classname="Outer$B" time="0.1"/>
                          <testcase name="absent" classname="Outer$B" time="0.1">
                            <skipped type="Aborted"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: because]]></skipped>
                          </testcase>
                        </testsuite>
                        """);
        Files.writeString(folder.resolve("TEST-lab.xml"), """
                <testsuite name="lab" tests="2" failures="0" errors="0" skipped="1">
                <testcase classname="a.B" name="c" time="0.1"/>
                <testcase classname="a.B" name="d" time="0.1">
                <skipped message="no device"/>
                </testcase>
                </testsuite>
                """);
        Reports reports = Reports.of(folder);
        assertThat(reports.counts()).isEqualTo(new Counts(2, 2, 2)).hasToString("6 tests, 2 failed, 2 skipped");
        assertThat(reports.lines()).containsExactly("    failed: Outer$A.bad: no <good>  word",
                "    failed: Outer$A.bad: at dev.bascule.Outer.bad(Outer.java:7)", "    failed: Outer$A.worse: e",
                "    skipped: Outer$B.absent: because", "    skipped: a.B.d: no device");
    }

    @Test
    void whatHasAnotherTurnIsOneLine() throws Exception {
        Files.writeString(folder.resolve("TEST-a.xml"),
                """
                        <testsuite>
                        <testcase classname="a.B" name="c"><skipped message="not in turn 7: one of 3 is"/></testcase>
                        <testcase classname="a.B" name="d"><skipped message="Assumption failed: not in turn 7: one of 2 is"/></testcase>
                        <testcase classname="a.B" name="e"><skipped message="no device"/></testcase>
                        </testsuite>
                        """);
        Reports reports = Reports.of(folder);
        assertThat(reports.counts()).isEqualTo(new Counts(0, 0, 3));
        assertThat(reports.lines()).containsExactly("    skipped: a.B.e: no device",
                "    skipped: 2 combinations that have another turn; without --by-turns all are played");
    }

    @Test
    void theClassesThatTookLongestAreNamedWithTheTestsOfNestedOnes() throws Exception {
        Files.writeString(folder.resolve("TEST-a.xml"), """
                <testsuite>
                <testcase classname="a.Slow" name="c" time="3.4"/>
                <testcase classname="a.Slow$Part" name="d" time="1,002.2"/>
                <testcase classname="b.Long" name="e" time="6.0"/>
                <testcase classname="b.Quick" name="f" time="4.9"/>
                <testcase classname="b.Untold" name="g"/>
                </testsuite>
                """);
        assertThat(Reports.of(folder).longest()).containsExactly("    longest: Slow 1006 s, Long 6 s");
    }

    @Test
    void aReportCutShortIsAFailureAndKeepsWhatItSays() throws Exception {
        Files.writeString(folder.resolve("TEST-cut.xml"), """
                <testsuite name="Outer">
                  <testcase name="good" classname="Outer"/>
                  <testcase name="bad" classname="Outer"><failure mess""");
        Reports reports = Reports.of(folder);
        assertThat(reports.counts().failed()).isEqualTo(1);
        assertThat(reports.counts().passed()).isPositive();
        assertThat(reports.lines()).singleElement().asString().startsWith("    failed: TEST-cut.xml: cannot be read: ");
    }

    @Test
    void withoutAFolderThereAreNoTests() throws Exception {
        assertThat(Reports.of(folder.resolve("none")).counts()).isEqualTo(Counts.NONE);
    }
}
