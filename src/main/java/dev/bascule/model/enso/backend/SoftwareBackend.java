package dev.bascule.model.enso.backend;

import dev.bascule.memory.SharedMemory;
import dev.bascule.model.enso.CycleClock;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.EnsoModel;
import dev.bascule.model.enso.WireSink;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves one model to every program of the upstream library that uses the same huge-page prefix. Queue files are
 * created by the programs; {@link #lookForPrograms()} finds new ones and notices when they are gone.
 * <p>
 * Not thread-safe: one thread calls all methods, in a loop.
 */
public final class SoftwareBackend implements AutoCloseable {
    private static final String TO_PROGRAM = "_queue:enso_ipc_queue_to_app";
    private static final String FROM_PROGRAM = "_queue:enso_ipc_queue_from_app";
    private static final long QUEUE_BYTES = 1L << 21;

    /** Looks between two at the processes of programs. */
    private static final int LOOKS = 20;

    private record Program(Client client, Object requestFile, Object replyFile, QueueOwners owners, Arena queues) {
        void leave() {
            client.leave();
            queues.close();
        }
    }

    private final Path directory;
    private final String prefix;
    private final Pattern requestName;
    private final HugePageFiles files;
    private final ProgramMemory memory;
    private final Allocations allocations = new Allocations();
    private final EnsoModel model;
    private final Map<Integer, Program> programs = new HashMap<>();
    private final Map<Integer, Program> abandoned = new HashMap<>();
    private int looks;

    /**
     * @param prefix the programs' huge-page prefix, such as {@code /mnt/huge/enso}
     * @param board must have the sizes the library was built with: pipes of 32768 flits, rings of 16384 entries
     * @param clock the model's clock
     * @param wire where frames go
     */
    public SoftwareBackend(Path prefix, EnsoBoard board, CycleClock clock, WireSink wire) {
        this(prefix, board, clock, wire, null);
    }

    /** A backend with another way to find pages, {@code finder}; null for the huge-page files below {@code prefix}. */
    SoftwareBackend(Path prefix, EnsoBoard board, CycleClock clock, WireSink wire, @Nullable PageFinder finder) {
        Path parent = prefix.toAbsolutePath().getParent();
        Path name = prefix.getFileName();
        if (parent == null || name == null) {
            throw new IllegalArgumentException(
                    "huge-page prefix '" + prefix + "' has no file name; use one like /mnt/huge/enso");
        }
        this.directory = parent;
        this.prefix = name.toString();
        this.requestName = Pattern.compile(Pattern.quote(this.prefix + FROM_PROGRAM) + "([0-9]{1,6})_" + QUEUE_BYTES);
        this.files = new HugePageFiles(directory, this.prefix);
        this.memory = new ProgramMemory(finder == null ? files : finder);
        this.model = new EnsoModel(memory, board, clock, wire);
        model.forgiveMissingAddresses();
    }

    /** Whether the kernel shows this process physical addresses, by which programs name their memory; it needs root. */
    public static boolean knowsPhysicalAddresses() {
        try (Arena arena = Arena.ofConfined()) {
            return HugePageFiles.physicalAddress(arena.allocate(8, 8)) != -1;
        } catch (IOException e) {
            return false;
        }
    }

    /** The device behind the programs, to give it frames and read its counters. */
    public EnsoModel model() {
        return model;
    }

    /** Programs (threads with queues) being served. */
    public int programCount() {
        return programs.size();
    }

    /** Handles what programs ask and lets the device work, each up to {@code limit} units; returns the units done. */
    public int work(int limit) {
        try {
            int done = 0;
            for (Program program : programs.values()) {
                done += program.client.work(limit);
            }
            done += model.work(limit);
            SharedMemory.faultNow();
            return done;
        } catch (InternalError e) {
            letGo(e);
            return 0;
        }
    }

    /** A frame arrives from the wire, without FCS. The array is not kept. */
    public void receive(byte[] frame, int offset, int lengthBytes) {
        try {
            model.receive(frame, offset, lengthBytes);
            SharedMemory.faultNow();
        } catch (InternalError e) {
            letGo(e);
        }
    }

    /** As {@link EnsoModel#offer}; false also if a program truncated the memory that the frame was to go to. */
    public boolean offer(byte[] frame, int offset, int lengthBytes) {
        try {
            boolean taken = model.offer(frame, offset, lengthBytes);
            SharedMemory.faultNow();
            return taken;
        } catch (InternalError e) {
            letGo(e);
            return false;
        }
    }

    /**
     * A program cut memory in use. It cannot be told whose it was, so all programs are released and must connect again.
     */
    private void letGo(InternalError e) {
        if (!SharedMemory.isTruncation(e)) {
            throw e;
        }
        close();
        model.reload();
    }

    /**
     * Scans the directory: serves new programs and releases those that have left, whose queues are gone or taken over by
     * a later program, or whose process has ended. When the last one has left, the device is reset as by loading its
     * bitstream. Call it every few milliseconds (it lists the directory, and every 20th time checks the programs'
     * processes).
     *
     * @throws IOException if the directory cannot be listed
     */
    public void lookForPrograms() throws IOException {
        try {
            look();
            SharedMemory.faultNow();
        } catch (InternalError e) {
            letGo(e);
        }
    }

    private void look() throws IOException {
        boolean left = leave(false);
        if (left || ++looks % LOOKS == 0) {
            left |= leave(true);
        }
        if (left && programs.isEmpty()) {
            memory.clear();
            model.reload();
            model.changed();
        }
        for (int core : coresWithQueues()) {
            if (!programs.containsKey(core) && !isAbandoned(core)) {
                accept(core);
            }
        }
    }

    /** Releases programs that have left; says whether there were any. */
    private boolean leave(boolean byProcess) {
        boolean left = false;
        for (Map.Entry<Integer, Program> entry : List.copyOf(programs.entrySet())) {
            int core = entry.getKey();
            Program program = entry.getValue();
            if (!isCurrent(core, program)) {
                program.leave();
                programs.remove(core);
                left = true;
            } else if (byProcess && program.owners.areGone()) {
                program.client.leave();
                abandoned.put(core, program);
                programs.remove(core);
                left = true;
            }
        }
        return left;
    }

    /** Whether the queues of {@code core} are what a killed program left, and no other has joined them. */
    private boolean isAbandoned(int core) {
        Program program = abandoned.get(core);
        if (program == null) {
            return false;
        }
        if (!program.client.isAsked() && isSame(core, program)) {
            return true;
        }
        abandoned.remove(core);
        program.queues.close();
        return false;
    }

    /** Releases all programs and unmaps their memory. */
    @Override
    public void close() {
        List<Arena> queues = new ArrayList<>();
        programs.values().forEach(program -> queues.add(program.queues));
        abandoned.values().forEach(program -> queues.add(program.queues));
        programs.clear();
        abandoned.clear();
        allocations.clear();
        memory.clear();
        files.close();
        queues.forEach(Arena::close);
    }

    private List<Integer> coresWithQueues() throws IOException {
        List<Integer> cores = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Matcher matcher = requestName.matcher(String.valueOf(entry.getFileName()));
                if (matcher.matches()) {
                    cores.add(Integer.valueOf(matcher.group(1)));
                }
            }
        }
        return cores;
    }

    private void accept(int core) throws IOException {
        Path requests = queue(FROM_PROGRAM, core);
        Path replies = queue(TO_PROGRAM, core);
        Object requestFile = identity(requests);
        Object replyFile = identity(replies);
        if (requestFile != null && replyFile != null) {
            Arena arena = Arena.ofShared();
            MessageQueue in = new MessageQueue(HugePageFiles.map(requests, QUEUE_BYTES, arena));
            MessageQueue out = new MessageQueue(HugePageFiles.map(replies, QUEUE_BYTES, arena));
            programs.put(core, new Program(new Client(in, out, model, memory, allocations), requestFile, replyFile,
                    new QueueOwners(requests), arena));
            out.clear(); // what a program did not read before it was killed
            model.changed();
        }
    }

    private boolean isCurrent(int core, Program program) {
        return !program.client.replaced() && isSame(core, program);
    }

    private boolean isSame(int core, Program program) {
        return program.requestFile.equals(identity(queue(FROM_PROGRAM, core)))
                && program.replyFile.equals(identity(queue(TO_PROGRAM, core)));
    }

    private Path queue(String kind, int core) {
        return directory.resolve(prefix + kind + core + "_" + QUEUE_BYTES);
    }

    /**
     * Distinguishes a file from a later one of the same name; null while there is none of full size, see {@link
     * HugePageFiles}.
     */
    private static @Nullable Object identity(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.size() == QUEUE_BYTES || attributes.size() == 2 * QUEUE_BYTES
                    ? attributes.fileKey()
                    : null;
        } catch (IOException e) {
            return null;
        }
    }
}
