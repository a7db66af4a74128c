package dev.bascule.study.lauberhorn;

import dev.bascule.config.CostProfile;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.study.lauberhorn.LauberhornFigure.Kind;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Curves;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Line;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** The seed's figure 2, and transfers of all sizes with the size from which DMA is quicker. */
final class LineCosts {
    private static final String BOUND = "DMA without any software: it is quicker from a larger size on";
    private static final String RAW = "enzian-pio-nic 3d377ee5, medians of data/";
    private static final int[] SIZES = { 64, 128, 256, 512, 1_024, 1_536, 2_048, 4_096, 9_600 };
    /** The prototype's; the raw data jumps behind it. */
    private static final int ECI_IN_CONTROL_LINE = 64;
    private static final LineLayout CXL_LINES = LauberhornConfig.DEFAULT.lines();
    /** Medians of the raw data, us: the prototype's loopback.csv, total of each direction. */
    private static final double[] ECI_RECEIVE = { 0.764, 1.68, 2.152, 3.096, 4.97, 6.844, 8.746, 16.708, 39.076 };
    private static final double[] ECI_SEND = { 0.864, 1.992, 2.064, 2.2, 2.464, 2.72, 3.012, 4.4, 8.418 };
    private static final double[] PCIE_RECEIVE = { 3.194, 6.892, 12.806, 24.626, 48.262, 71.92, 95.582, 190.218,
            444.578 };
    private static final double[] PCIE_SEND = { 0.378, 0.51, 0.618, 0.858, 1.346, 1.838, 2.322, 4.31, 9.806 };

    private final CostProfile costs;

    LineCosts(CostProfile costs) {
        this.costs = costs;
    }

    /** Lines after the control line, which carries the first bytes itself. */
    private static int overflow(int bytes, int inControlLine, int line) {
        return (Math.max(0, bytes - inControlLine) + line - 1) / line;
    }

    private double receive(String place, int overflow) {
        return costs.value(place + ".receiveLine") + overflow * costs.value(place + ".nextReceiveLine");
    }

    /**
     * Time of what the NIC fetches: the control line says how many more there are, so these come a round trip later.
     */
    private double send(String place, int overflow) {
        double later = overflow == 0 ? 0 : costs.value(place + ".roundTrip");
        return costs.value(place + ".sendLine") + later + overflow * costs.value(place + ".nextSendLine");
    }

    double eciReceive(int bytes) {
        return receive("eci", overflow(bytes, ECI_IN_CONTROL_LINE, 128));
    }

    double eciSend(int bytes) {
        return send("eci", overflow(bytes, ECI_IN_CONTROL_LINE, 128));
    }

    double cxlReceive(int bytes) {
        return receive("cxl", overflow(bytes, CXL_LINES.requestWords() * Long.BYTES, CXL_LINES.lineBytes()));
    }

    double cxlSend(int bytes) {
        return send("cxl", overflow(bytes, CXL_LINES.replyWords() * Long.BYTES, CXL_LINES.lineBytes()));
    }

    double mmioReceive(int bytes) {
        return costs.value("pcie.receive") + (bytes + 7) / 8 * costs.value("pcie.receiveWord");
    }

    double mmioSend(int bytes) {
        return costs.value("pcie.send") + (bytes + 63) / 64 * costs.value("pcie.sendLine");
    }

    private double transfer(int bytes) {
        return bytes / costs.value("pcie.dmaBandwidth") * 1e9;
    }

    /** The payload and its completion are written to host memory, and the core looks at both. */
    double dmaReceive(int bytes) {
        return costs.value("pcie.dmaWrite") + transfer(bytes) + 2 * costs.value("host.poll");
    }

    /** Doorbell, the descriptor is read, then the payload. */
    double dmaSend(int bytes) {
        return costs.value("pcie.doorbell") + 2 * costs.value("pcie.dmaRead") + transfer(bytes);
    }

    Part roundTrips() {
        List<LauberhornFigure> figures = new ArrayList<>();
        figures.add(us("coherent lines, ECI", eciReceive(64) + eciSend(64)).beside(0.764 + 0.864, RAW + "eci")
                .of(Kind.COMPUTED, "eci.receiveLine and eci.sendLine"));
        figures.add(us("coherent lines, CXL", cxlReceive(64) + cxlSend(64)).of(Kind.CHOSEN, "cxl.*"));
        figures.add(us("PCIe MMIO", mmioReceive(64) + mmioSend(64)).beside(3.194 + 0.378, RAW + "pcie")
                .of(Kind.CALIBRATED, "pcie.receive and pcie.send, at 64 bytes"));
        figures.add(us("PCIe DMA with descriptors, polled", dmaReceive(64) + dmaSend(64)));
        figures.add(us("PCIe DMA with descriptors and an interrupt",
                dmaReceive(64) + costs.value("pcie.interrupt") + costs.value("host.interruptEntry") + dmaSend(64)));
        figures.add(us("interconnect alone, ECI", costs.value("eci.roundTrip")).beside(0.808, RAW + "eci")
                .of(Kind.COMPUTED, "eci.roundTrip"));
        figures.add(us("interconnect alone, PCIe", costs.value("pcie.roundTrip")).beside(1.292, RAW + "pcie")
                .of(Kind.COMPUTED, "pcie.roundTrip"));
        return new Part("a", "64 bytes to a core and back (figure 2)",
                "a message into the core and its answer out, without software; the paper's figure has no numbers, so the raw"
                        + " data of its prototype stand beside it; nobody published raw data of DMA on that machine",
                figures);
    }

    private static LauberhornFigure us(String what, double nanos) {
        return LauberhornFigure.computed(what, "us", nanos / 1e3);
    }

    Part sizes(Map<String, Curves> curves) {
        List<LauberhornFigure> figures = new ArrayList<>();
        compare(figures, "ECI receive", this::eciReceive, ECI_RECEIVE, "eci");
        compare(figures, "ECI send", this::eciSend, ECI_SEND, "eci");
        compare(figures, "PCIe MMIO receive", this::mmioReceive, PCIE_RECEIVE, "pcie");
        compare(figures, "PCIe MMIO send", this::mmioSend, PCIE_SEND, "pcie");
        figures.add(LauberhornFigure
                .computed("ECI: DMA is quicker there and back from", "B",
                        crossover(b -> eciReceive(b) + eciSend(b), b -> dmaReceive(b) + dmaSend(b)))
                .beside(4_096, "").of(Kind.LIMIT, "arXiv:2501.10138 section 7: about 4 KiB, empirically"));
        figures.add(LauberhornFigure.computed("CXL: DMA is quicker there and back from", "B",
                crossover(b -> cxlReceive(b) + cxlSend(b), b -> dmaReceive(b) + dmaSend(b))).of(Kind.CHOSEN, "cxl.*"));
        figures.add(LauberhornFigure
                .computed("ECI: DMA is quicker than lines to a core from", "B",
                        crossover(this::eciReceive, this::dmaReceive))
                .of(Kind.LIMIT, BOUND));
        figures.add(LauberhornFigure.computed("ECI: DMA is quicker than lines from a core from", "B",
                crossover(this::eciSend, this::dmaSend)).of(Kind.LIMIT, BOUND));
        double[] x = Arrays.stream(SIZES).asDoubleStream().toArray();
        curves.put("lauberhorn-sizes.svg",
                new Curves("Transfer of a message by size", "bytes", "us (log scale)",
                        List.of(line("ECI receive", x, this::eciReceive), line("ECI send", x, this::eciSend),
                                line("PCIe MMIO receive", x, this::mmioReceive), line("DMA send", x, this::dmaSend),
                                new Line("ECI receive, published", true, x, ECI_RECEIVE),
                                new Line("ECI send, published", true, x, ECI_SEND),
                                new Line("PCIe MMIO receive, published", true, x, PCIE_RECEIVE))));
        return new Part("b", "Sizes from 64 to 9,600 bytes, and where DMA is quicker",
                "lines are read one after the other and taken back in a stream, a round trip after the first; DMA writes payload and"
                        + " completion to host memory, and reads descriptor and payload from it. No raw data of DMA were published:"
                        + " its costs are round trips of PCIe without any software, so the sizes from which it is quicker are lower"
                        + " bounds, far below the paper's",
                figures);
    }

    private static Line line(String name, double[] x, IntToDoubleFunction nanos) {
        return new Line(name, false, x,
                Arrays.stream(x).map(bytes -> nanos.applyAsDouble((int) bytes) / 1e3).toArray());
    }

    private static void compare(List<LauberhornFigure> figures, String what, IntToDoubleFunction nanos,
            double[] published, String place) {
        for (int i = 0; i < SIZES.length; i++) {
            boolean isFitted = SIZES[i] == 64 || SIZES[i] == 1_024 || SIZES[i] == 9_600;
            figures.add(LauberhornReproduction.fitted(
                    us("%s, %,d bytes".formatted(what, SIZES[i]), nanos.applyAsDouble(SIZES[i])).beside(published[i],
                            RAW + place),
                    isFitted, "first line at 64 bytes, each further one between 1,024 and 9,600"));
        }
    }

    /** The least multiple of 64 bytes from which the second is quicker; NaN if it never is. */
    static double crossover(IntToDoubleFunction lines, IntToDoubleFunction dma) {
        for (int bytes = 64; bytes <= 1 << 20; bytes += 64) {
            if (dma.applyAsDouble(bytes) < lines.applyAsDouble(bytes)) {
                return bytes;
            }
        }
        return Double.NaN;
    }
}
