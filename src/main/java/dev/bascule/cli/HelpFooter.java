package dev.bascule.cli;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private HelpFooter() {}

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
