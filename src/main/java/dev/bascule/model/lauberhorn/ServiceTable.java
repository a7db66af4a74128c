package dev.bascule.model.lauberhorn;

import dev.bascule.rpc.Signature;
import java.util.ArrayList;
import java.util.List;

/** The NIC's signature table. Thread rule: the NIC's thread. Looking up allocates nothing. */
final class ServiceTable {
    static final int NO_PROGRAM = -1;
    static final int NO_VERSION = -2;
    static final int NO_PROCEDURE = -3;

    private final int mostPerProcess;
    private final List<Entry> all = new ArrayList<>();
    private Entry[] entries = {};
    private Row[] rows = {};

    private record Entry(int process, Service service, int firstRow, int[] numbers) {}

    /** A procedure, and whose it is. */
    record Row(int process, Service service, Procedure procedure) {
        Signature signature() {
            return procedure.signature();
        }
    }

    ServiceTable(int mostPerProcess) {
        this.mostPerProcess = mostPerProcess;
    }

    /** Adds a service of a process; says why not, or the empty string. */
    String add(int process, Service service) {
        long mine = all.stream().filter(e -> e.process == process).count();
        if (mine >= mostPerProcess) {
            return "process " + process + " has " + mine + " services, as many as the NIC can hold for one";
        }
        for (Entry entry : all) {
            if (entry.service.program() == service.program() && entry.service.version() == service.version()) {
                return "program " + Integer.toUnsignedString(service.program()) + " version " + service.version()
                        + " is served by process " + entry.process + " already";
            }
        }
        all.add(new Entry(process, service, 0, new int[0]));
        build();
        return "";
    }

    void remove(int process) {
        all.removeIf(e -> e.process == process);
        build();
    }

    private void build() {
        List<Row> newRows = new ArrayList<>();
        List<Entry> newEntries = new ArrayList<>();
        for (Entry entry : all) {
            int[] numbers = entry.service.procedures().stream().mapToInt(Procedure::number).toArray();
            newEntries.add(new Entry(entry.process, entry.service, newRows.size(), numbers));
            entry.service.procedures().forEach(p -> newRows.add(new Row(entry.process, entry.service, p)));
        }
        entries = newEntries.toArray(Entry[]::new);
        rows = newRows.toArray(Row[]::new);
    }

    /** Index of the row, or why there is none. */
    int find(int program, int version, int procedure) {
        int result = NO_PROGRAM;
        for (Entry entry : entries) {
            if (entry.service.program() == program) {
                if (entry.service.version() == version) {
                    return row(entry, procedure);
                }
                result = NO_VERSION;
            }
        }
        return result;
    }

    private static int row(Entry entry, int procedure) {
        for (int i = 0; i < entry.numbers.length; i++) {
            if (entry.numbers[i] == procedure) {
                return entry.firstRow + i;
            }
        }
        return NO_PROCEDURE;
    }

    /** The row of the newest version; for the compact header, which names none. */
    int findNewest(int program, int procedure) {
        Entry newest = null;
        for (Entry entry : entries) {
            if (entry.service.program() == program
                    && (newest == null || entry.service.version() > newest.service.version())) {
                newest = entry;
            }
        }
        return newest == null ? NO_PROGRAM : row(newest, procedure);
    }

    int lowestVersion(int program) {
        int lowest = Integer.MAX_VALUE;
        for (Entry entry : entries) {
            lowest = entry.service.program() == program ? Math.min(lowest, entry.service.version()) : lowest;
        }
        return lowest;
    }

    int highestVersion(int program) {
        int highest = 0;
        for (Entry entry : entries) {
            highest = entry.service.program() == program ? Math.max(highest, entry.service.version()) : highest;
        }
        return highest;
    }

    Row row(int index) {
        return rows[index];
    }
}
