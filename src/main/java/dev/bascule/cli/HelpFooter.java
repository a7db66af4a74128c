package dev.bascule.cli;

import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/** End of a help text. Its examples, which two blanks begin, are lines to paste: they are not wrapped. */
final class HelpFooter {
    static final String EXAMPLE = "  ";

    private HelpFooter() {}

    /** For the command and all that were added to it. */
    static void use(CommandLine line) {
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(line.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpFooter::render);
        line.setHelpSectionMap(sections);
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
