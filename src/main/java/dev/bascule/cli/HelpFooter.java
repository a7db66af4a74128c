package dev.bascule.cli;

import dev.bascule.ffi.Libc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Parts of a help text that picocli has otherwise: examples, which two blanks begin, are lines to paste and not wrapped,
 * and many options stand in groups.
 */
final class HelpFooter {
    static final String EXAMPLE = "  ";

    private static final int STANDARD_OUTPUT = 1;
    private static final int LEAST_COLUMNS = 60;
    private static final int MOST_COLUMNS = 120;

    private HelpFooter() {}

    /**
     * Gives the help texts as many columns as the terminal has, 60 to 120; a user's {@code COLUMNS} goes before it.
     * Without either they keep their 80.
     */
    static void fit(CommandLine line) {
        String said = Objects.requireNonNullElse(System.getenv("COLUMNS"), "");
        int columns = said.matches("[1-9][0-9]{0,4}") ? Integer.parseInt(said) : Libc.terminalColumns(STANDARD_OUTPUT);
        if (columns > 0) {
            line.setUsageHelpWidth(Math.clamp(columns, LEAST_COLUMNS, MOST_COLUMNS));
        }
    }

    /** For the command and all that were added to it. */
    static void use(CommandLine line) {
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(line.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpFooter::render);
        line.setHelpSectionMap(sections);
    }

    /** Options of a command under headings, each option in one group; its synopsis does not list them. */
    static void group(CommandLine command, Map<String, List<String>> groups) {
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(command.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help, groups));
        command.setHelpSectionMap(sections);
        command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
    }

    private static String options(Help help, Map<String, List<String>> groups) {
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, names) -> {
            Help.Layout layout = help.createDefaultLayout();
            layout.addAllOptions(names.stream().map(help.commandSpec()::findOption).toList(),
                    help.parameterLabelRenderer());
            text.append(String.format("%n%s%n", heading)).append(layout);
        });
        return text.toString();
    }

    private static String render(Help help) {
        UsageMessageSpec usage = help.commandSpec().usageMessage();
        StringBuilder text = new StringBuilder();
        for (String line : usage.footer()) {
            int width = line.startsWith(EXAMPLE) ? Math.max(usage.width(), line.length() + 1) : usage.width();
            Help.join(help.ansi(), width, usage.adjustLineBreaksForWideCJKCharacters(), new String[] { line }, text);
        }
        return text.toString();
    }
}
