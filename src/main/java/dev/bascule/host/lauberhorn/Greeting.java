package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Messages that a process and the host exchange when the process joins, as lines of text.
 *
 * <pre>
 * process  bascule-lauberhorn 2          host  welcome NUMBER THREADS CORES LINE OVERFLOW DMA LINE_NANOS
 *          name NAME                           or: refused WHY
 *          service PROGRAM VERSION
 *          procedure NUMBER NAME ARGUMENTS RESULT
 * </pre>
 *
 * Types are names of {@link ValueType}, separated by commas; none is {@code -}. With the welcome come
 * descriptors: the memory of the lines, sealed, and eventfds: one for each thread, then one for each core.
 */
final class Greeting {
    static final int MOST_BYTES = 1 << 16;
    private static final String FIRST = "bascule-lauberhorn 2";
    private static final String WELCOME = "welcome";
    private static final String REFUSED = "refused";
    private static final String NONE = "-";

    private Greeting() {}

    /** Message of a process. */
    record Hello(String name, List<JavaService> services) {}

    /** Message of the host. */
    record Welcome(int number, ProcessLayout layout, int cores, long lineNanos) {}

    static String hello(String name, List<JavaService> services) {
        StringBuilder text = new StringBuilder(FIRST).append("\nname ").append(name.replace('\n', ' '));
        for (JavaService service : services) {
            text.append("\nservice ").append(service.program()).append(' ').append(service.version());
            for (JavaService.Procedure procedure : service.procedures()) {
                if (procedure.number() != 0) {
                    text.append("\nprocedure ").append(procedure.number()).append(' ').append(procedure.name())
                            .append(' ').append(names(procedure.signature().arguments())).append(' ')
                            .append(names(procedure.signature().result()));
                }
            }
        }
        return text.toString();
    }

    private static String names(List<ValueType> types) {
        return types.isEmpty()
                ? NONE
                : types.stream().map(type -> type.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(","));
    }

    /** Reads a hello; {@link IllegalArgumentException} says what is wrong with it. */
    static Hello readHello(String text) {
        List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(FIRST)) {
            throw new IllegalArgumentException("the process does not say '" + FIRST + "'; is it of another version?");
        }
        String name = "";
        List<JavaService> services = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ", -1);
            try {
                switch (words[0]) {
                    case "name" -> name = line.substring(5);
                    case "service" -> services
                            .add(JavaService.empty(Integer.parseInt(words[1]), Integer.parseInt(words[2])));
                    case "procedure" -> services.set(services.size() - 1, with(services.getLast(), words));
                    default -> throw new IllegalArgumentException("no such word");
                }
            } catch (RuntimeException e) {
                throw new IllegalArgumentException("the process says '" + line + "', which nobody understands: "
                        + e.getMessage(), e);
            }
        }
        return new Hello(name, services);
    }

    private static JavaService with(JavaService service, String[] words) {
        return service.with(Integer.parseInt(words[1]), words[2], new Signature(types(words[3]), types(words[4])),
                call -> {
                    throw new IllegalStateException("the handler is in another process");
                });
    }

    private static List<ValueType> types(String names) {
        List<ValueType> types = new ArrayList<>();
        for (String name : names.equals(NONE) ? new String[0] : names.split(",", -1)) {
            types.add(ValueType.valueOf(name.toUpperCase(Locale.ROOT)));
        }
        return types;
    }

    static String welcome(Welcome welcome) {
        LineLayout lines = welcome.layout.lines();
        return String.join(" ", WELCOME, Integer.toString(welcome.number), Integer.toString(welcome.layout.threads()),
                Integer.toString(welcome.cores), Integer.toString(lines.lineBytes()),
                Integer.toString(lines.overflowBytes()), Integer.toString(lines.dmaBytes()),
                Long.toString(welcome.lineNanos));
    }

    static String refused(String why) {
        return REFUSED + " " + why;
    }

    /** Reads a welcome; {@link IllegalArgumentException} says why there is none. */
    static Welcome readWelcome(String text) {
        if (text.startsWith(REFUSED + " ")) {
            throw new IllegalArgumentException("the host refuses: " + text.substring(REFUSED.length() + 1));
        }
        String[] words = text.split(" ", -1);
        if (words.length != 8 || !words[0].equals(WELCOME)) {
            throw new IllegalArgumentException("the host says '" + text + "', which nobody understands");
        }
        LineLayout lines = new LineLayout(Integer.parseInt(words[4]), Integer.parseInt(words[5]),
                Integer.parseInt(words[6]));
        return new Welcome(Integer.parseInt(words[1]), new ProcessLayout(lines, Integer.parseInt(words[2])),
                Integer.parseInt(words[3]), Long.parseLong(words[7]));
    }
}
