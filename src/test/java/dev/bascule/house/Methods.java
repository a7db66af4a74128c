package dev.bascule.house;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Reads sources with the JDK's own parser: where types and methods start and end, and what documents them. */
final class Methods {
    /** One type or method. {@code needsDocumentation}: public, in public types only, and overrides nothing. */
    record Extent(String file, String name, long firstLine, long lastLine, boolean isMethod, boolean needsDocumentation,
            boolean documented) {
        long lines() {
            return isMethod ? lastLine - firstLine + 1 : 0;
        }
    }

    private Methods() {}

    static List<Extent> of(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources));
            DocTrees trees = DocTrees.instance(task);
            List<Extent> found = new ArrayList<>();
            for (CompilationUnitTree unit : task.parse()) {
                new Scanner(trees, unit, found).scan(unit, null);
            }
            return found;
        }
    }

    private static final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees trees;
        private final CompilationUnitTree unit;
        private final List<Extent> found;

        Scanner(DocTrees trees, CompilationUnitTree unit, List<Extent> found) {
            this.trees = trees;
            this.unit = unit;
            this.found = found;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
            if (!type.getSimpleName().isEmpty()) {
                add(type, type.getSimpleName().toString(), false, isPublic(type.getModifiers()));
            }
            return super.visitClass(type, nothing);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            boolean own = method.getModifiers().getAnnotations().stream()
                    .noneMatch(a -> a.getAnnotationType().toString().equals("Override"));
            boolean body = method.getReturnType() != null; // constructors are told by their type
            add(method, method.getName().toString(), true, own && body && isPublic(method.getModifiers()));
            return super.visitMethod(method, nothing);
        }

        private void add(Tree tree, String name, boolean isMethod, boolean visible) {
            var positions = trees.getSourcePositions();
            var lines = unit.getLineMap();
            long first = lines.getLineNumber(positions.getStartPosition(unit, tree));
            long last = lines.getLineNumber(positions.getEndPosition(unit, tree));
            boolean documented = trees.getDocComment(getCurrentPath()) != null;
            found.add(new Extent(House.relative(Path.of(unit.getSourceFile().toUri())), name, first, last, isMethod,
                    visible && insidePublicTypes(), documented));
        }

        /** Whether everything around this declaration is public too. */
        private boolean insidePublicTypes() {
            for (TreePath path = getCurrentPath().getParentPath(); path != null; path = path.getParentPath()) {
                if (path.getLeaf() instanceof ClassTree type && !isPublic(type.getModifiers())) {
                    return false;
                }
                if (path.getLeaf() instanceof MethodTree) {
                    return false;
                }
            }
            return true;
        }

        private static boolean isPublic(ModifiersTree modifiers) {
            return modifiers.getFlags().contains(Modifier.PUBLIC);
        }
    }
}
