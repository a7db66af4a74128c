package dev.bascule.house;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The way of something through the code: steps, which are methods, in lanes, and arrows between them, each of which the
 * compiled classes have to show. A line of its table is {@code lane | arrow | step | words}. An empty lane goes on; a
 * line that begins with {@code &} adds a second column to the row before, or a second arrow to its step. An arrow is
 * {@code calls}, {@code returns} (to its caller), {@code memory METHOD} (both ends find the same memory by that method)
 * or {@code -} (none).
 */
record Way(String title, List<Row> rows) {
    static final String CALLS = "calls";
    static final String RETURNS = "returns";
    static final String MEMORY = "memory ";
    static final String NONE = "-";

    /** Steps beside each other, with the arrow that leads to each column. */
    record Row(String lane, List<String> arrows, List<String> steps, List<String> words) {}

    static Way of(String title, String table) {
        List<Row> rows = new ArrayList<>();
        for (String line : table.lines().toList()) {
            String[] cells = Stream.of(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
            if (!cells[0].equals("&")) {
                rows.add(new Row(cells[0], new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
            }
            add(rows.getLast().arrows, cells[1]);
            add(rows.getLast().steps, cells[2]);
            add(rows.getLast().words, cells[3]);
        }
        return new Way(title, rows);
    }

    private static void add(List<String> column, String cell) {
        if (!cell.isEmpty()) {
            column.add(cell);
        }
    }

    /** Arrows that the classes do not show, a sentence each; a step that is no method is one, too. */
    List<String> objections(JavaClasses classes) {
        List<String> objections = new ArrayList<>();
        String[] last = new String[2];
        for (Row row : rows) {
            for (int column = 0; column < row.arrows.size(); column++) {
                String to = at(row.steps, column);
                String arrow = row.arrows.get(column);
                if (!arrow.equals(NONE) && !to.equals(NONE) && !isReal(classes, last[column], arrow, to)) {
                    objections.add(last[column] + " " + arrow + " " + to);
                }
            }
            for (int column = 0; column < last.length; column++) {
                String step = at(row.steps, column);
                last[column] = step.equals(NONE) ? last[column] : step;
                if (units(classes, last[column]).isEmpty()) {
                    objections.add("no method " + step);
                }
            }
        }
        return objections;
    }

    /** A step that stands alone is in both columns. */
    static String at(List<String> parts, int column) {
        return parts.get(Math.min(column, parts.size() - 1));
    }

    private static boolean isReal(JavaClasses classes, String from, String arrow, String to) {
        return switch (arrow) {
            case CALLS -> reaches(classes, from, to);
            case RETURNS -> reaches(classes, to, from);
            default -> Stream.of(from, to).allMatch(end -> finds(classes, end, arrow.substring(MEMORY.length())));
        };
    }

    /** Whether a method calls another one, by itself or by methods of its own package. */
    private static boolean reaches(JavaClasses classes, String from, String to) {
        JavaClass target = type(classes, to);
        String home = type(classes, from).getPackageName();
        Set<JavaCodeUnit> seen = new HashSet<>(units(classes, from));
        Deque<JavaCodeUnit> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            for (JavaAccess<?> call : calls(open.pop())) {
                JavaClass owner = call.getTargetOwner();
                if (call.getName().equals(member(to)) && target.isAssignableTo(owner.getName())) {
                    return true;
                }
                if (owner.getPackageName().equals(home)) {
                    owner.getPackage().getClasses().stream().filter(type -> type.isAssignableTo(owner.getName()))
                            .flatMap(type -> type.getCodeUnits().stream())
                            .filter(unit -> unit.getName().equals(call.getName())).filter(seen::add)
                            .forEach(open::add);
                }
            }
        }
        return false;
    }

    /**
     * Whether one end of a memory finds it by {@code via}: its class calls or implements that method, or
     * what it is made of or made by does; or the method makes or calls the end.
     */
    private static boolean finds(JavaClasses classes, String end, String via) {
        JavaClass type = type(classes, end);
        JavaClass owner = type(classes, via);
        Set<JavaClass> around = new HashSet<>(Set.of(type));
        type.getConstructors().forEach(made -> {
            around.addAll(made.getRawParameterTypes());
            made.getCallsOfSelf().forEach(call -> around.add(call.getOriginOwner()));
        });
        return around.stream().flatMap(one -> one.getCodeUnits().stream())
                .anyMatch(unit -> unit.getName().equals(member(via)) && unit.getOwner().isAssignableTo(owner.getName())
                        || calls(unit).stream().anyMatch(call -> call.getName().equals(member(via))
                                && call.getTargetOwner().isAssignableTo(owner.getName())))
                || units(classes, via).stream().anyMatch(unit -> unit.getRawReturnType().equals(type))
                || reaches(classes, via, end);
    }

    private static Set<JavaAccess<?>> calls(JavaCodeUnit unit) {
        Set<JavaAccess<?>> all = new LinkedHashSet<>(unit.getCallsFromSelf());
        all.addAll(unit.getCodeUnitReferencesFromSelf());
        return all;
    }

    private static Set<JavaCodeUnit> units(JavaClasses classes, String step) {
        return type(classes, step).getCodeUnits().stream().filter(unit -> unit.getName().equals(member(step)))
                .collect(Collectors.toSet());
    }

    private static JavaClass type(JavaClasses classes, String step) {
        return classes.get(Layers.ROOT + step.substring(0, step.lastIndexOf('.')));
    }

    private static String member(String step) {
        return step.substring(step.lastIndexOf('.') + 1);
    }

    /** {@code wave.WaveCpu.poll} without its package. */
    static String shortly(String step) {
        return step.replaceFirst("^([a-z]\\w*\\.)+(?=[A-Z])", "");
    }

    /** Packages of a lane from its first row on, in order. */
    String packages(int first) {
        Set<String> names = new LinkedHashSet<>();
        for (int i = first; i < rows.size() && (i == first || rows.get(i).lane.isEmpty()); i++) {
            rows.get(i).steps.stream().filter(step -> !step.equals(NONE))
                    .forEach(step -> names.add(step.replaceFirst("\\.[A-Z].*", "")));
        }
        return String.join(", ", names);
    }

    /** The way as a Markdown table. */
    String text() {
        StringBuilder text = new StringBuilder("| where | step | what happens |\n| --- | --- | --- |\n");
        for (Row row : rows) {
            List<String> steps = new ArrayList<>();
            List<String> words = new ArrayList<>();
            for (int i = 0; i < row.steps.size(); i++) {
                if (!row.steps.get(i).equals(NONE)) {
                    steps.add(arrow(row, i) + "`" + row.steps.get(i) + "`");
                    words.add(row.words.get(i));
                }
            }
            text.append("| ").append(row.lane).append(" | ").append(String.join("; beside it ", steps)).append(" | ")
                    .append(String.join("; ", words)).append(" |\n");
        }
        return text.toString();
    }

    private static String arrow(Row row, int column) {
        List<String> own = row.steps.size() > 1 ? List.of(row.arrows.get(column)) : row.arrows;
        return own.stream().filter(arrow -> !arrow.equals(NONE)).distinct().map(arrow -> switch (arrow) {
            case CALLS -> "calls ";
            case RETURNS -> "returns to ";
            default -> "by `" + shortly(arrow.substring(MEMORY.length())) + "` to ";
        }).collect(Collectors.joining("and "));
    }
}
