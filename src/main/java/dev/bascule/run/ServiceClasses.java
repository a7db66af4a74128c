package dev.bascule.run;

import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.host.lauberhorn.RpcProgram;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Services that are named by their class: the user's own. */
public final class ServiceClasses {
    private ServiceClasses() {}

    /** The services of a class: one for each of its interfaces that is one. A {@link Failure} says what is wrong. */
    public static List<JavaService> load(String name, List<Path> path) {
        try {
            Class<?> type = Class.forName(name, true, loader(path));
            Object object = type.getConstructor().newInstance();
            List<JavaService> services = new ArrayList<>();
            for (Class<?> face : type.getInterfaces()) {
                if (face.isAnnotationPresent(RpcProgram.class)) {
                    services.add(of(face, object));
                }
            }
            if (services.isEmpty()) {
                throw new Misuse("--service " + name + ": it implements no interface with @RpcProgram");
            }
            return services;
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw new Failure("--service " + name + ": there is no such class"
                    + (path.isEmpty() ? "; name its jar with --service-path" : " in " + path) + " (" + e.getMessage()
                    + ")");
        } catch (NoSuchMethodException e) {
            throw new Failure("--service " + name + ": it needs a public constructor without arguments");
        } catch (InvocationTargetException e) {
            throw new Failure("--service " + name + ": its constructor threw " + e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new Failure("--service " + name + ": cannot be made: " + e.getMessage() + "; make the class public");
        } catch (IllegalArgumentException e) {
            throw new Failure("--service " + name + ": " + e.getMessage());
        }
    }

    private static <T> JavaService of(Class<T> face, Object object) {
        return JavaService.of(face, face.cast(object));
    }

    private static ClassLoader loader(List<Path> path) {
        URL[] urls = new URL[path.size()];
        for (int i = 0; i < urls.length; i++) {
            if (!Files.exists(path.get(i))) {
                throw new Failure("--service-path " + path.get(i) + ": there is no such jar or folder");
            }
            try {
                urls[i] = path.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new Failure("--service-path " + path.get(i) + ": " + e.getMessage());
            }
        }
        return urls.length == 0
                ? ClassLoader.getSystemClassLoader()
                : new URLClassLoader("services", urls, ClassLoader.getSystemClassLoader());
    }
}
