package dev.bascule.cli;

import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.wire.CaptureWire;
import dev.bascule.model.wire.CrossCable;
import dev.bascule.model.wire.TapWire;
import dev.bascule.registry.Durations;
import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import dev.bascule.run.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Turns the words of {@code --wire} into what the ports of a device are plugged into. */
final class WirePlan {
    static final String SYNTAX = "loop, open, cross, cross:SOCKET, pcap:IN,OUT, tap:NAME or fabric:GRAPH";

    private static final long LONG_WAIT_NANOS = 10_000_000_000L;

    private final List<CaptureWire> captures = new ArrayList<>();
    private final List<WireEnd> opened = new ArrayList<>();
    private List<CountedWire> plugged = List.of();
    private boolean lossless = true;
    private boolean playing;

    /** Whether frames of files wait until the device has room; else they are lost then. */
    void lossless(boolean wait) {
        lossless = wait;
    }

    /** A wire for each port; ports without a word are crossed in pairs, one left over loops back. */
    List<CountedWire> plug(List<String> words, int ports) throws IOException {
        if (words.size() > ports) {
            throw new Misuse("--wire is given " + words.size() + " times, and the device has " + ports + " port"
                    + (ports == 1 ? "" : "s"));
        }
        WireEnd[] wires = new WireEnd[ports];
        List<Integer> crossed = new ArrayList<>();
        try {
            for (int port = 0; port < ports; port++) {
                String word = port < words.size() ? words.get(port) : "cross";
                if (word.equals("cross")) {
                    crossed.add(port);
                } else {
                    wires[port] = plug(word);
                    opened.add(wires[port]);
                }
            }
        } catch (IOException | RuntimeException e) {
            opened.forEach(WireEnd::close);
            throw e;
        }
        for (int i = 0; i + 1 < crossed.size(); i += 2) {
            List<WireEnd> ends = Cables.cross();
            wires[crossed.get(i)] = ends.get(0);
            wires[crossed.get(i + 1)] = ends.get(1);
        }
        if (crossed.size() % 2 != 0) {
            wires[crossed.getLast()] = Cables.loopback();
        }
        plugged = Arrays.stream(wires).map(CountedWire::new).toList();
        return plugged;
    }

    private WireEnd plug(String word) throws IOException {
        int colon = word.indexOf(':');
        String kind = colon < 0 ? word : word.substring(0, colon);
        String rest = colon < 0 ? "" : word.substring(colon + 1);
        if (colon < 0 && kind.equals("loop")) {
            return Cables.loopback();
        } else if (colon < 0 && kind.equals("open")) {
            return WireEnd.OPEN;
        } else if (kind.equals("cross") && !rest.isEmpty()) {
            return CrossCable.plug(Path.of(rest));
        } else if (kind.equals("tap") && !rest.isEmpty()) {
            return TapWire.open(rest);
        } else if (kind.equals("pcap")) {
            return capture(rest);
        }
        for (Extension extension : Commands.extensions()) {
            WireEnd wire = extension.wire(kind, rest);
            if (wire != null) {
                return wire;
            }
        }
        if (kind.equals("fabric") && !rest.isEmpty()) {
            throw new Failure("--wire " + word + " is" + Commands.ABSENT);
        }
        throw new Misuse("--wire " + word + ": a wire is " + SYNTAX);
    }

    private WireEnd capture(String files) throws IOException {
        int comma = files.indexOf(',');
        String in = comma < 0 ? files : files.substring(0, comma);
        String out = comma < 0 ? "" : files.substring(comma + 1);
        if (in.isEmpty() && out.isEmpty()) {
            throw new Misuse("--wire pcap:" + files + ": name a file to read, a file to write, or both: pcap:IN,OUT");
        }
        if (in.equals("-") || out.equals("-")) {
            throw new Misuse("--wire pcap:" + files + ": name files; standard input and output are not for frames here"
                    + " (./- is a file of that name)");
        }
        playing |= !in.isEmpty();
        CaptureWire wire = CaptureWire.open(in.isEmpty() ? null : Path.of(in), out.isEmpty() ? null : Path.of(out),
                System::nanoTime, lossless);
        captures.add(wire);
        return wire;
    }

    /** Adds what went over the wires so far, and whether frames of files are left. */
    void describe(Summary summary) {
        summary.put("sent to the device", plugged.stream().mapToLong(CountedWire::arrived).sum());
        summary.put("sent by the device", plugged.stream().mapToLong(CountedWire::left).sum());
        long leftOut = captures.stream().mapToLong(CaptureWire::leftOut).sum();
        if (leftOut != 0) {
            summary.put("left out of files, cut or damaged", leftOut);
        }
        if (captures.stream().anyMatch(wire -> !wire.isAtEnd())) {
            summary.put("files", "not played to the end");
        }
    }

    /** Whether the last frame of the last file has arrived since the last call; true once. */
    boolean hasPlayed() {
        boolean over = playing && captures.stream().allMatch(CaptureWire::isAtEnd);
        playing &= !over;
        return over;
    }

    /** Waits of files that somebody would take for their end, each once. */
    List<String> longWaits() {
        return captures.stream().map(wire -> wire.longWait(LONG_WAIT_NANOS)).filter(Objects::nonNull)
                .map(wait -> "frame " + wait.frame() + " of the file is due in " + Durations.ofLong(wait.nanos())
                        + ", as it was recorded")
                .toList();
    }

    /** Frames of capture files arrive from now on. */
    void startReplay() {
        captures.forEach(CaptureWire::start);
    }

    /** Makes what was captured readable by others; throws what a wire died of. */
    void flush() throws IOException {
        opened.forEach(WireEnd::check);
        for (CaptureWire wire : captures) {
            wire.flush();
            IOException failure = wire.failure();
            if (failure != null) {
                throw failure;
            }
        }
    }
}
