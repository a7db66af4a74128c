package dev.bascule.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * Lines for a shell that a reader pastes: a block of a page, or the examples of a help text.
 *
 * @param place page and line, or command
 * @param steps commands in their order, each with what the page shows of its output
 * @param reason why nobody can run it here, as the page's comment says; empty: it must run
 */
record ShellBlock(String place, List<Step> steps, String reason) {
    /** In machines and foreign roots the lanes' JVM has the launcher's property alone. */
    static final Path ROOT = Path
            .of(System.getProperty("bascule.baseDirectory", System.getProperty("bascule.home", "."))).toAbsolutePath()
            .normalize();
    /** Languages of a fence that are run. */
    static final Set<String> SHELL = Set.of("sh", "console");
    /** Fence of what the block before it prints. */
    static final String OUTPUT = "text output";
    private static final Pattern FENCE = Pattern.compile("( *)```(.*)");
    private static final Pattern REASON = Pattern.compile(" *<!-- not run: (.+) -->");

    /**
     * One command.
     *
     * @param output lines that are shown of what it prints
     */
    record Step(String command, List<String> output) {
        /** The command without the remark at its end. */
        String plain() {
            return command.replaceAll("(?m)\\s+#\\s.*$", "").strip();
        }
    }

    /** A fence with its language, its lines and the line before it. */
    private record Fence(int line, String language, List<String> text, String before) {}

    /** Pages with shell blocks, from the top of the clone. */
    static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> files = Files.list(ROOT.resolve("src/site/markdown"))) {
            files.sorted().forEach(pages::add);
        }
        return pages;
    }

    private static List<Fence> fences(Path page) throws IOException {
        List<Fence> fences = new ArrayList<>();
        List<String> lines = Files.readAllLines(page);
        for (int i = 0; i < lines.size(); i++) {
            Matcher open = FENCE.matcher(lines.get(i));
            if (!open.matches()) {
                continue;
            }
            List<String> text = new ArrayList<>();
            int begin = i;
            for (i++; !lines.get(i).strip().equals("```"); i++) {
                String line = lines.get(i);
                int blanks = line.length() - line.stripLeading().length();
                text.add(line.substring(Math.min(open.group(1).length(), blanks)));
            }
            fences.add(new Fence(begin + 1, open.group(2).strip(), text, begin == 0 ? "" : lines.get(begin - 1)));
        }
        return fences;
    }

    /** Languages of a page's fences, each behind its line; empty where none is said. */
    static List<String> languages(Path page) throws IOException {
        return fences(page).stream().map(fence -> fence.line + ":" + fence.language).toList();
    }

    /** The shell blocks of a page. */
    static List<ShellBlock> of(Path page) throws IOException {
        List<ShellBlock> blocks = new ArrayList<>();
        for (Fence fence : fences(page)) {
            if (fence.language.equals(OUTPUT)) {
                blocks.getLast().steps.getLast().output.addAll(fence.text);
            } else if (SHELL.contains(fence.language)) {
                Matcher reason = REASON.matcher(fence.before);
                blocks.add(new ShellBlock(page.getFileName() + ":" + fence.line,
                        steps(fence.text, fence.language.equals("console")), reason.matches() ? reason.group(1) : ""));
            }
        }
        return blocks;
    }

    /** The examples of every help text, as it is printed. */
    static List<ShellBlock> ofHelps() {
        List<ShellBlock> blocks = new ArrayList<>();
        help(Main.commandLine(), blocks);
        return blocks;
    }

    private static void help(CommandLine line, List<ShellBlock> blocks) {
        String help = line.getUsageMessage(CommandLine.Help.Ansi.OFF);
        int examples = help.indexOf("\nExample");
        if (examples >= 0) {
            List<String> text = help.substring(examples).lines().filter(one -> one.startsWith(HelpFooter.EXAMPLE))
                    .map(String::strip).toList();
            blocks.add(new ShellBlock(line.getCommandSpec().qualifiedName() + " --help", steps(text, false), ""));
        }
        line.getSubcommands().values().forEach(sub -> help(sub, blocks));
    }

    private static List<Step> steps(List<String> lines, boolean isConsole) {
        List<Step> steps = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        for (String line : lines) {
            if (isConsole && open.isEmpty() && !line.startsWith("$ ")) {
                steps.getLast().output.add(line);
                continue;
            }
            open.append(isConsole && open.isEmpty() ? line.substring(2) : line);
            String soFar = open.toString();
            String said = soFar.replaceAll("(?m)(^|\\s)#\\s.*$", "");
            if (soFar.endsWith("\\") || said.chars().filter(c -> c == '\'').count() % 2 == 1) {
                open.append('\n');
                continue;
            }
            if (!soFar.isBlank() && !soFar.strip().startsWith("#")) {
                steps.add(new Step(soFar.strip(), new ArrayList<>()));
            }
            open.setLength(0);
        }
        return steps;
    }
}
