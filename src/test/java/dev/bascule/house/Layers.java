package dev.bascule.house;

import java.util.List;
import java.util.Optional;

/**
 * The packages from top to bottom. A package may use those of lower rows and, within its own row, its parent and
 * itself; neighbours of one row do not know each other.
 */
final class Layers {
    static final String ROOT = "dev.bascule.";

    static final List<List<String>> ROWS = List.of(
            List.of("study.cli"),
            List.of("study.compare", "study.enso", "study.nagare", "study.lauberhorn"),
            List.of("study.experiment"),
            List.of("study.report"),
            List.of("study.sim", "study.fabric"),
            List.of("study"),
            List.of("cli", "junit"),
            List.of("run"),
            List.of("doctor"),
            List.of("app", "web"),
            List.of("workload"),
            List.of("report"),
            List.of("registry"),
            List.of("policy"),
            List.of("host"),
            List.of("local", "wave", "swap"),
            List.of("agent"),
            List.of("model"),
            List.of("nic"),
            List.of("lauberhorn"),
            List.of("ring"),
            List.of("vfio", "vfiouser", "loopback", "rdma"),
            List.of("device"),
            List.of("pci", "memory", "config", "json", "rpc"),
            List.of("ffi"));

    /** The wing above the product, a jar of its own: each of its packages has a row. */
    static final String STUDY = "study";

    /** What agents and policies may not know: anything that is a device. */
    static final List<String> DEVICES = List.of("model", "nic", "vfio", "vfiouser", "loopback", "rdma", "device",
            "pci");

    /** Packages that their siblings and parents share; they use none of them. */
    static final List<String> SHARED = List.of("dev.bascule.ffi.generated", "dev.bascule.model.parts",
            "dev.bascule.model.replay");

    private Layers() {}

    /** The first name below dev.bascule, in the wing the first two; the empty string outside of it. */
    static String top(String packageName) {
        if (!packageName.startsWith(ROOT)) {
            return "";
        }
        String rest = packageName.substring(ROOT.length());
        int dot = rest.indexOf('.', rest.startsWith(STUDY + ".") ? STUDY.length() + 1 : 0);
        return dot < 0 ? rest : rest.substring(0, dot);
    }

    static boolean isStudy(String packageName) {
        return packageName.equals(ROOT + STUDY) || packageName.startsWith(ROOT + STUDY + ".");
    }

    static int row(String packageName) {
        for (int row = 0; row < ROWS.size(); row++) {
            if (ROWS.get(row).contains(top(packageName))) {
                return row;
            }
        }
        return -1;
    }

    /** Why {@code from} may not use {@code to}; empty when it may. */
    static Optional<String> objection(String from, String to) {
        if (!to.startsWith(ROOT) || from.equals(to)) {
            return Optional.empty();
        }
        int fromRow = row(from);
        int toRow = row(to);
        if (fromRow < 0 || toRow < 0) {
            return Optional.of((fromRow < 0 ? from : to) + " has no row in Layers.ROWS; the design lists the packages");
        }
        if (top(from).equals(top(to))) {
            return withinOneTop(from, to);
        }
        if (DEVICES.contains(top(to)) && isAgentSide(from)) {
            return Optional.of(from + " uses " + to + ": agents and policies know no device");
        }
        if (top(from).equals("policy") && !top(to).equals("agent")) {
            return Optional.of(from + " uses " + to + ": policies know only agent");
        }
        return toRow > fromRow ? Optional.empty() : Optional.of(from + " uses " + to + ": not downward");
    }

    /** A child may use its parent; siblings do not know each other; a parent does not know its children. */
    private static Optional<String> withinOneTop(String from, String to) {
        if (!SHARED.contains(from) && (from.startsWith(to + ".") || SHARED.contains(to))) {
            return Optional.empty();
        }
        return Optional.of(from + " uses " + to + ": a package may use its parent, not its siblings or children");
    }

    private static boolean isAgentSide(String packageName) {
        return List.of("agent", "policy").contains(top(packageName));
    }
}
