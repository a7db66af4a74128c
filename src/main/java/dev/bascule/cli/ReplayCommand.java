package dev.bascule.cli;

import dev.bascule.json.Json;
import dev.bascule.model.cndm.CndmReplay;
import dev.bascule.model.cndm.proto.ProtoReplay;
import dev.bascule.model.corundum.replay.CorundumReplay;
import dev.bascule.model.enso.EnsoReplay;
import dev.bascule.model.enso.FlowHashReplay;
import dev.bascule.model.replay.LineLimit;
import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorFormatException;
import dev.bascule.model.replay.VectorLine;
import dev.bascule.run.Errors;
import dev.bascule.run.Failure;
import dev.bascule.run.OutputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Replays runs of the real hardware's RTL on the models. */
@Command(name = "replay", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Replays captured runs of the hardware's RTL (JSON lines, also gzipped) on the device models: Corundum "
                + "or cndm if the first line is a configuration of one, else Ensō; also tables of Ensō's flow hash.",
        "Prints the first difference of each file with its line; the exit status is 1 if any differs." }, footer = { "",
                "Examples:", "  bascule replay src/test/resources/vectors/corundum/*.jsonl.gz",
                "  bascule replay src/test/resources/vectors/cndm/*.jsonl.gz",
                "  bascule replay src/test/resources/vectors/enso/*.gz",
                "  bascule replay --json loopback.jsonl" })
final class ReplayCommand extends CommandBase {
    /** Characters; the longest line of the runs that are recorded has 19,051. */
    private static final int LONGEST_LINE = 8 << 20;

    private enum Kind {
        CNDM, CNDM_PROTO, CORUNDUM, ENSO, ENSO_HASHES
    }

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "vector files")
    private List<Path> files = List.of();

    @Option(names = "--json", description = "print one JSON document")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = out();
        Json.Arr list = Json.array();
        int differing = 0;
        for (Path file : files) {
            ReplayResult result = replay(file);
            differing += result.passed() ? 0 : 1;
            if (json) {
                list.add(describe(file, result));
            } else {
                out.printf("%-40s %s%n", file.getFileName(), result.passed()
                        ? "ok, %,d stimuli, %,d expectations".formatted(result.stimuli(), result.expectations())
                        : "DIFFERS, " + result.differences().get(0));
                out.flush();
            }
        }
        if (json) {
            out.print(Json.object().put("files", list).put("differing", differing).pretty());
        } else {
            out.printf("%d of %d files differ%n", differing, files.size());
        }
        out.flush();
        return differing == 0 ? 0 : Errors.FAILED;
    }

    private static Json.Obj describe(Path file, ReplayResult result) {
        return Json.object().put("file", file.toString()).put("name", result.name()).put("passed", result.passed())
                .put("stimuli", result.stimuli()).put("expectations", result.expectations())
                .put("differences", Json.texts(result.differences()));
    }

    private static ReplayResult replay(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        try (BufferedReader reader = open(file)) {
            return switch (kind(file)) {
                case CNDM -> CndmReplay.run(name, reader);
                case CNDM_PROTO -> ProtoReplay.run(name, reader);
                case CORUNDUM -> CorundumReplay.run(name, reader);
                case ENSO -> EnsoReplay.run(name, reader);
                case ENSO_HASHES -> FlowHashReplay.run(name, reader);
            };
        } catch (VectorFormatException e) {
            throw new Failure(file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw OutputFile.named(file, e);
        }
    }

    private static Kind kind(Path file) throws IOException {
        try (BufferedReader reader = open(file)) {
            String first = reader.readLine();
            if (first == null) {
                return Kind.ENSO;
            }
            if (first.startsWith(FlowHashReplay.HEADER)) {
                return Kind.ENSO_HASHES;
            }
            if (!first.contains("\"config\"")) {
                return Kind.ENSO;
            }
            if (first.contains(CorundumReplay.DEVICE)) {
                return Kind.CORUNDUM;
            }
            if (!first.contains('"' + CndmReplay.DEVICE + '"')) {
                return Kind.ENSO;
            }
            return "proto".equals(VectorLine.parse(first, 1).text("profile")) ? Kind.CNDM_PROTO : Kind.CNDM;
        }
    }

    private static BufferedReader open(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        try {
            InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
            return new BufferedReader(
                    new LineLimit(new InputStreamReader(plain, StandardCharsets.UTF_8), LONGEST_LINE));
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }
}
