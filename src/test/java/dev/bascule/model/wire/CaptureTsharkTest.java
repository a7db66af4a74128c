package dev.bascule.model.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Capture files of every dialect are read as Debian's tshark reads them: number, time, lengths and bytes of each frame. */
@Tag("captures")
class CaptureTsharkTest {
    private static final int FCS_BYTES = 4;
    private static final Pattern RAW = Pattern.compile("\"frame_raw\":\"([0-9a-f]*)\"");
    private static final Pattern TIME = Pattern.compile("\"frame_frame_time_epoch\":\"([^\"]*)\"");
    private static final Pattern LENGTH = Pattern.compile("\"frame_frame_len\":\"([0-9]+)\"");
    private static final Pattern INTERFACE = Pattern.compile("\"frame_frame_interface_id\":\"([0-9]+)\"");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @ValueSource(longs = { 1 })
    void everyDialectIsReadAsTsharkReadsIt(long seed) throws Exception {
        List<String> wrong = new ArrayList<>();
        List<Path> files = CaptureCorpus.write(folder, seed);
        for (Path file : files) {
            compare(file, file.getFileName().toString().startsWith("fcs") ? FCS_BYTES : 0, wrong);
        }
        assertThat(files).hasSizeGreaterThan(70);
        assertThat(wrong).as("seed %d", seed).isEmpty();
    }

    @Test
    void whatEditcapWritesInTheDialectsOfOthersIsReadToo() throws Exception {
        CaptureCorpus.write(folder, 3);
        List<String> wrong = new ArrayList<>();
        for (String dialect : List.of("pcap", "nsecpcap", "modpcap", "nokiapcap", "rh6_1pcap", "suse6_3pcap",
                "pcapng")) {
            Path file = folder.resolve(dialect + ".made");
            output("editcap", "-F", dialect, folder.resolve("micros-le.pcap").toString(), file.toString());
            compare(file, 0, wrong);
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void tsharkReadsWhatIsWrittenHere() throws Exception {
        for (String name : List.of("own.pcap", "own.pcapng")) {
            Path file = folder.resolve(name);
            try (CaptureWriter writer = CaptureWriter.create(file, List.of("port 0"))) {
                for (int length : new int[] { 60, 61, 62, 63, 1514, 9214 }) {
                    writer.write(1_700_000_000_123_456_789L + length, 0, new byte[length], 0, length);
                }
            }
            List<String> wrong = new ArrayList<>();
            compare(file, 0, wrong);
            assertThat(wrong).isEmpty();
        }
    }

    private static void compare(Path file, int fcsBytes, List<String> wrong) throws Exception {
        List<String> theirs = tshark(file);
        List<String> ours = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                ours.add(line(frame, fcsBytes));
            }
        } catch (IOException e) {
            ours.add(e.getMessage());
        }
        for (int i = 0; i < Math.max(ours.size(), theirs.size()); i++) {
            String our = i < ours.size() ? ours.get(i) : "none";
            String their = i < theirs.size() ? theirs.get(i) : "none";
            if (!our.equals(their)) {
                wrong.add(file.getFileName() + " frame " + (i + 1) + ":\n  here   " + our + "\n  tshark " + their);
            }
        }
    }

    /** A frame as a line: time, length on the wire, length kept, interface, bytes; all with the check sequence. */
    private static String line(CapturedFrame frame, int fcsBytes) {
        long nanos = frame.timestampNanos();
        String time = nanos == CapturedFrame.NO_TIME
                ? ""
                : "%d.%09d".formatted(Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
        int whole = frame.originalBytes() + fcsBytes;
        return time + " " + whole + " " + frame.interfaceIndex() + " " + HexFormat.of().formatHex(frame.data());
    }

    private static List<String> tshark(Path file) throws Exception {
        boolean fcs = file.getFileName().toString().startsWith("fcs");
        return output("tshark", "-n", "-r", file.toString(), "-T", "ek", "-x").lines()
                .filter(line -> RAW.matcher(line).find())
                .map(line -> {
                    int whole = Integer.parseInt(value(LENGTH, line));
                    String hex = value(RAW, line);
                    return value(TIME, line) + " " + whole + " " + (value(INTERFACE, line) + "0").charAt(0) + " "
                            + (fcs ? hex.substring(0, Math.min(hex.length(), 2 * (whole - FCS_BYTES))) : hex);
                }).toList();
    }

    private static String value(Pattern field, String line) {
        Matcher matcher = field.matcher(line);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("%s said %s", String.join(" ", command), text).isZero();
        return text;
    }
}
