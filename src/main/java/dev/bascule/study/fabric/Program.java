package dev.bascule.study.fabric;

import java.util.List;

/**
 * A graph as the switch holds it: its nodes, and a table for each stage. Immutable, so that streams opened with it keep it
 * when a newer one takes its place.
 *
 * @param name the graph's name
 * @param nodes at most {@link #MOST_NODES}; one of them is the source
 * @param source number of the node at which items come in
 * @param copies most copies of an item that are alive beside it
 * @param stages the tables, in order
 */
public record Program(String name, List<Node> nodes, int source, int copies, List<Stage> stages) {
    /** Most nodes: a stream has a window for each. */
    public static final int MOST_NODES = 16;

    /**
     * One device's part in a stream.
     *
     * @param name in the graph
     * @param port the device
     * @param command what it is to do
     * @param parameter with what
     * @param offset where its bytes begin in the item
     * @param ends whether items end there
     */
    public record Node(String name, Port port, int command, int parameter, int offset, boolean ends) {}

    /** Copies the lists. */
    public Program {
        nodes = List.copyOf(nodes);
        stages = List.copyOf(stages);
        if (nodes.size() > MOST_NODES || source < 0 || source >= nodes.size()) {
            throw new IllegalArgumentException("a program has 1 to " + MOST_NODES + " nodes, its source among them");
        }
        int most = 0;
        for (Stage stage : stages) {
            int mostOfStage = 0;
            for (Stage.Entry entry : stage.entries()) {
                mostOfStage = Math.max(mostOfStage, checkedCopies(entry, nodes.size(), source));
            }
            most += mostOfStage;
        }
        if (most > MOST_NODES) {
            throw new IllegalArgumentException(
                    "an item may leave " + MOST_NODES + " copies at most, and the stages make "
                            + most);
        }
    }

    private static int checkedCopies(Stage.Entry entry, int nodes, int source) {
        int emitted = 0;
        for (Op op : entry.ops()) {
            if (op.code() == Op.Code.EMIT) {
                emitted++;
                if (op.value() < 0 || op.value() >= nodes || op.value() == source) {
                    throw new IllegalArgumentException("a copy cannot go to node " + op.value());
                }
            }
        }
        return emitted;
    }

    Node node(int number) {
        return nodes.get(number);
    }

    /** Sends the vector through the stages; false if its item is to be dropped. */
    boolean pass(Vector vector) {
        for (Stage stage : stages) {
            if (!stage.pass(vector)) {
                return false;
            }
        }
        int next = vector.next();
        return next >= 0 && next < nodes.size() && next != source;
    }

    /** All nodes and tables, for people. */
    public String dump() {
        StringBuilder out = new StringBuilder("program ").append(name).append('\n');
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            out.append(
                    String.format("  node %d %-12s device %s, command %d, parameter %d, from byte %d%s%n", i, node.name,
                            node.port.name(), node.command, node.parameter, node.offset,
                            i == source ? ", source" : node.ends ? ", end" : ""));
        }
        for (int i = 0; i < stages.size(); i++) {
            out.append("  stage ").append(i).append(stages.get(i).entries().isEmpty() ? ": empty\n" : "\n");
            stages.get(i).entries().forEach(entry -> out.append("    ").append(entry).append('\n'));
        }
        return out.toString();
    }
}
