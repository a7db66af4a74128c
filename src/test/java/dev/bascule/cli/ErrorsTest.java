package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentException;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Errno;
import dev.bascule.ffi.MissingPartException;
import dev.bascule.ffi.NativeException;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ErrorsTest {
    private static Cli report(Throwable failure) {
        StringWriter err = new StringWriter();
        int status = Errors.report(failure, new PrintWriter(err));
        return new Cli(status, "", err.toString());
    }

    static Stream<Throwable> expected() {
        return Stream.of(new Failure("step on object: reason; remedy"), new AgentException("attach to x: gone"),
                new NativeException("mlock", "64 MiB", Errno.EPERM),
                new MissingPartException("the kernel's side is not built; scripts/build-native"),
                new DeviceException("map BAR 2", "0000:03:00.0", "EBUSY", "unbind it"),
                new IllegalArgumentException("no transport is called 'x'"),
                new UncheckedIOException("make run directory: full", new IOException("full")),
                new IOException("write report: full"));
    }

    @ParameterizedTest
    @MethodSource("expected")
    void expectedFailuresAreOneMessageWithoutATrace(Throwable failure) {
        Cli said = report(failure);
        assertThat(said.status()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).isEqualTo("bascule: " + failure.getMessage() + System.lineSeparator());
    }

    @ParameterizedTest
    @ValueSource(classes = { IllegalStateException.class, NullPointerException.class, StackOverflowError.class })
    void anythingElseIsABugWithATraceAndAHint(Class<? extends Throwable> type) throws ReflectiveOperationException {
        Cli said = report(type.getConstructor(String.class).newInstance("odd"));
        assertThat(said.status()).isEqualTo(Errors.BUG);
        assertThat(said.err()).contains("\tat ").contains("bascule: unexpected " + type.getName() + ": odd")
                .contains("Please report").contains("bascule doctor");
    }

    static Stream<Arguments> missing() {
        return Stream.of(
                Arguments.of(new ExceptionInInitializerError(new MissingPartException("Bascule runs on Linux")),
                        "Bascule runs on Linux"),
                Arguments.of(new NoClassDefFoundError("org/rocksdb/RocksDB"), "org/rocksdb/RocksDB"),
                Arguments.of(new UnsatisfiedLinkError("/tmp/librocksdbjni.so: failed to map segment"),
                        "failed to map"));
    }

    @ParameterizedTest
    @MethodSource("missing")
    void aPartThatIsMissingIsOneLineAndNoBug(Throwable failure, String named) {
        Cli said = report(failure);
        assertThat(said.status()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).startsWith("bascule: ").contains(named).hasLineCount(1);
    }

    @Test
    void aClassOfOursThatIsMissingIsABug() {
        assertThat(report(new NoClassDefFoundError("dev/bascule/x/Y")).status()).isEqualTo(Errors.BUG);
    }

    @Test
    void aFileThatIsNotThereIsSaidInWords() {
        assertThat(report(new NoSuchFileException("/no/such")).err()).isEqualToIgnoringNewLines(
                "bascule: No Such File: /no/such");
    }

    @Test
    void anExceptionWithoutAMessageHasAtLeastAName() {
        assertThat(report(new IllegalArgumentException()).err()).contains("bascule: IllegalArgumentException");
    }

    @Test
    void aTruncatedRegionIsExplained() {
        Cli said = report(new InternalError("a fault occurred in an unsafe memory access operation"));
        assertThat(said.status()).isEqualTo(Errors.FAILED);
        assertThat(said.err()).contains("cut while it was in use");
    }

    @Test
    void anInterruptedCommandSaysNothing() {
        Cli said = report(new InterruptedException());
        assertThat(said.status()).isEqualTo(Errors.INTERRUPTED);
        assertThat(said.err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            devices --jsno    | no option of bascule devices is called '--jsno' (did you mean '--json'?)
            run --polcy fifo  | no option of bascule run is called '--polcy' (did you mean '--policy'?)
            run --quik=x      | no option of bascule run is called '--quik' (did you mean '--quick'?)
            --jsno            | no option of bascule is called '--jsno'
            -z                | no option of bascule is called '-z'
            docter            | no command of bascule is called 'docter' (did you mean 'doctor'?)
            rnu --quick       | no command of bascule is called 'rnu' (did you mean 'run'?)
            xyzzyxyz          | no command of bascule is called 'xyzzyxyz'
            reproduce waev    | no command of bascule reproduce is called 'waev' (did you mean 'wave'?)
            rpc lod           | no command of bascule rpc is called 'lod' (did you mean 'load'?)
            doctor more       | bascule doctor has no use for the word 'more'
            run --policy fifi | --policy fifi: no policy is called 'fifi' (did you mean 'fifo'?); there are fifo, fifo-per-cpu
            run --transport x | no transport is called 'x'; there are on-host, wave, swap, and no-agent
            pktgen --pace lossles | --pace lossles (did you mean 'lossless'?): there are lossless, recorded
            """)
    void aMistypedWordIsAnsweredWithTheNearestOne(String words, String said) {
        Cli typo = Cli.callOne(words.split(" "));
        assertThat(typo.status()).isEqualTo(Errors.USAGE);
        assertThat(typo.out()).isEmpty();
        String line = typo.err().lines().findFirst().orElse("");
        assertThat(line).startsWith("bascule: " + said);
        assertThat(line.contains("did you mean")).isEqualTo(said.contains("did you mean"));
        assertThat(typo.err()).contains("See: bascule").doesNotContain("Usage:");
    }

    @ParameterizedTest
    @ValueSource(strings = { "run --cpus two", "run --load 0.3,x", "agent", "top --interval", "doctor more" })
    void wrongUsageIsStatusTwoWithoutATrace(String words) {
        Cli said = Cli.call(words.split(" "));
        assertThat(said.status()).as(said.err()).isEqualTo(Errors.USAGE);
        assertThat(said.err()).startsWith("bascule: ").contains("--help").doesNotContain("\tat ");
        assertThat(said.out()).isEmpty();
    }

    @Test
    void everyCommandHasHelpWithExamples() {
        CommandLine line = Main.commandLine();
        List<String> names = line.getSubcommands().keySet().stream().sorted().toList();
        assertThat(names).contains("agent", "bench", "completion", "devices", "doctor", "run", "top");
        assertThat(Cli.call("--help").out()).contains("Examples:").contains("Exit status:");
        for (String name : names) {
            Cli help = Cli.call(name, "--help");
            assertThat(help.status()).as(name).isZero();
            assertThat(help.out()).as(name).contains("Usage: bascule " + name).contains("Examples:");
        }
    }
}
