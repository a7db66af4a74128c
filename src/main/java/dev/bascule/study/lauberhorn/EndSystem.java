package dev.bascule.study.lauberhorn;

import dev.bascule.config.CostProfile;
import dev.bascule.study.lauberhorn.LauberhornFigure.Kind;
import dev.bascule.study.lauberhorn.LauberhornReproduction.Part;
import java.util.ArrayList;
import java.util.List;

/**
 * Costs of a small RPC at its end system by each path: time from the frame in the NIC to the reply in the NIC without
 * the handler's work, time of a core, and the transactions on the interconnect.
 */
final class EndSystem {
    /**
     * A path.
     *
     * @param name of it
     * @param latencyNanos frame in to reply out, to a process that runs already or is woken
     * @param coreNanos of it, what a core spends
     * @param otherNanos what it adds if the core ran another process before
     * @param transactions lines, reads, writes, DMA transfers and interrupts that cross the interconnect
     * @param needsCores whether a core is taken all the time
     */
    record Path(String name, double latencyNanos, double coreNanos, double otherNanos, int transactions,
            boolean needsCores) {}

    private final CostProfile costs;

    EndSystem(CostProfile costs) {
        this.costs = costs;
    }

    private double ns(String path) {
        return costs.value(path);
    }

    private double software() {
        return ns("host.demultiplex") + ns("host.unmarshal");
    }

    private double dmaBack() {
        return ns("pcie.doorbell") + 2 * ns("pcie.dmaRead");
    }

    /** NIC writes payload and completion, interrupts, the kernel wakes a thread; the reply by a descriptor. */
    Path interrupt() {
        double core = ns("host.interruptEntry") + ns("host.stack") + ns("host.wakeUp") + 2 * ns("host.entry")
                + ns("host.unmarshal");
        return new Path("descriptor NIC with interrupt", ns("pcie.dmaWrite") + ns("pcie.interrupt") + core + dmaBack(),
                core, ns("host.contextSwitch"), 7, false);
    }

    /** A driver of the kernel that polls: no interrupt, the rest as before. */
    Path polled() {
        double core = ns("host.poll") + ns("host.stack") + ns("host.wakeUp") + 2 * ns("host.entry")
                + ns("host.unmarshal");
        return new Path("descriptor NIC, polled by the kernel", ns("pcie.dmaWrite") + core + dmaBack(), core,
                ns("host.contextSwitch"), 6, true);
    }

    /** The process polls its own queue on a core of its own. */
    Path bypass() {
        double core = ns("host.poll") + software();
        return new Path("kernel bypass, a core of its own", ns("pcie.dmaWrite") + core + dmaBack(), core,
                ns("host.contextSwitch") + ns("host.entry"), 6, true);
    }

    /** An agent on the NIC decides, the core that is idle is interrupted, takes the request by DMA, answers by MMIO. */
    Path wave() {
        double core = ns("host.interruptEntry") + ns("host.contextSwitch") + ns("host.unmarshal");
        return new Path("Wave steering", ns("nic.steer") + ns("pcie.dmaWrite") + ns("pcie.interrupt") + core
                + ns("pcie.doorbell"), core, ns("host.contextSwitch"), 5, false);
    }

    /** A decision by an exchange of two lines that the core waits for: no interrupt. */
    Path swap() {
        double core = ns("host.contextSwitch") + ns("host.unmarshal") + ns("pcie.roundTrip");
        return new Path("swap", ns("nic.steer") + ns("pcie.dmaWrite") + core + ns("pcie.doorbell"), core,
                ns("host.contextSwitch"), 5, false);
    }

    /** The line of the held load has everything; the load of the other one takes the reply back. */
    Path lauberhorn(String place) {
        double line = ns(place + ".receiveLine");
        double back = ns(place + ".sendLine");
        double other = ns("host.contextSwitch") + 2 * ns("host.entry") + ns(place + ".receiveLine")
                + ns(place + ".roundTrip") / 2;
        return new Path("Lauberhorn over " + place.toUpperCase(java.util.Locale.ROOT), ns("nic.decode") + line + back,
                line / 2, other, 2, false);
    }

    List<Path> paths() {
        return List.of(interrupt(), polled(), bypass(), wave(), swap(), lauberhorn("eci"), lauberhorn("cxl"));
    }

    Part computed() {
        List<LauberhornFigure> figures = new ArrayList<>();
        for (Path path : paths()) {
            Kind kind = path.name().endsWith("CXL") ? Kind.CHOSEN : Kind.COMPUTED;
            String why = kind == Kind.CHOSEN ? "cxl.*" : "";
            figures.add(LauberhornFigure.computed(path.name() + ": frame in to reply out", "ns", path.latencyNanos())
                    .of(kind, why));
            figures.add(LauberhornFigure.computed(path.name() + ": time of a core", "ns", path.coreNanos())
                    .of(kind, why));
            figures.add(LauberhornFigure.computed(path.name() + ": more if the core ran another process", "ns",
                    path.otherNanos()).of(kind, why));
            figures.add(LauberhornFigure.computed(path.name() + ": transactions on the interconnect", "",
                    path.transactions()));
        }
        figures.add(LauberhornFigure.computed("all paths: instructions", "", Double.NaN).noted(
                "nobody published instructions of these paths; where a machine counts them, the measured part has them"));
        return new Part("c", "End-system cost of a small RPC, by published costs",
                "steps of each path times the costs of the file, without the handler's work. A load that is held is no time of"
                        + " a core that anybody could use otherwise only while nobody else wants it: half a line's transfer is"
                        + " counted",
                figures);
    }
}
