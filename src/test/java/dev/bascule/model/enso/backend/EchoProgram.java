package dev.bascule.model.enso.backend;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An echo as the upstream library does it over its software back end, in a process of its own: queue files that are
 * joined if they are there and removed by who made them, pages in files, addresses in two stores, and the order of
 * stores of the library. A page's number stands for its physical address: the number of its file.
 */
final class EchoProgram implements AutoCloseable {
    static final int PORT = 80;
    private static final long PAGE = ProgramMemory.PAGE_BYTES;
    private static final int FLITS = EnsoFormats.DEFAULT_PIPE_RING_FLITS;
    private static final int ENTRIES = EnsoFormats.DEFAULT_NOTIFICATION_RING_ENTRIES;
    private static final int MOST_FLITS = 1024;
    private static final VarHandle SIGNAL = ValueLayout.JAVA_LONG.varHandle();

    private final Path prefix;
    private final Arena arena = Arena.ofShared();
    private final List<Path> made = new ArrayList<>();
    private final MessageQueue requests;
    private final MessageQueue replies;
    private final List<Pipe> pipes = new ArrayList<>();
    private final List<long[]> sent = new ArrayList<>(); // pipe, flits: in the order of their entries
    private final int buffer;
    private final long page;
    private final MemorySegment rings;
    private int rxHead;
    private int txHead;
    private int txTail;

    /** One pipe: all in flits. */
    private final class Pipe {
        final int id = (int) ask(Client.ALLOCATE_PIPE, 0)[1];
        final long page = EnsoRegisters.pipePage(id);
        final long address;
        int tail; // told by notifications
        int read;
        int head;

        Pipe() throws IOException {
            disable();
            write(page + EnsoRegisters.RX_TAIL, 0);
            write(page + EnsoRegisters.RX_HEAD, 0);
            ask(Client.READ, page + EnsoRegisters.RX_HEAD);
            Path file = Path.of(prefix + "_rx_pipe:" + id);
            map(file, PAGE);
            address = translate(file);
            write(page + EnsoRegisters.RX_ADDRESS_LOW, address + buffer);
            write(page + EnsoRegisters.RX_ADDRESS_HIGH, address >>> 32);
            ask(Client.FALLBACK_COUNT, 0);
        }

        void disable() {
            write(page + EnsoRegisters.RX_ADDRESS_LOW, 0);
            write(page + EnsoRegisters.RX_ADDRESS_HIGH, 0);
        }
    }

    EchoProgram(Path prefix, int core) throws IOException {
        this.prefix = prefix;
        requests = queue("from", core);
        replies = queue("to", core);
        buffer = (int) ask(Client.ALLOCATE_BUFFER, 0)[0];
        page = EnsoRegisters.notificationPage(buffer);
        for (int register : new int[] { EnsoRegisters.RX_ADDRESS_LOW, EnsoRegisters.RX_ADDRESS_HIGH,
                EnsoRegisters.RX_TAIL, EnsoRegisters.RX_HEAD }) {
            write(page + register, 0);
        }
        Path file = Path.of(prefix + "_notif_buf:" + buffer);
        rings = map(file, PAGE);
        rings.fill((byte) 0);
        long address = translate(file);
        txTail = (int) ask(Client.READ, page + EnsoRegisters.TX_TAIL)[1];
        txHead = txTail;
        write(page + EnsoRegisters.TX_HEAD, txHead);
        write(page + EnsoRegisters.RX_ADDRESS_LOW, address);
        write(page + EnsoRegisters.RX_ADDRESS_HIGH, address >>> 32);
        write(page + EnsoRegisters.TX_ADDRESS_LOW, address + PAGE / 2);
        write(page + EnsoRegisters.TX_ADDRESS_HIGH, address + PAGE / 2 >>> 32);
    }

    /** Arguments: prefix, first core, cores, pipes of each core, the first pipe's destination address. */
    public static void main(String[] arguments) throws Exception {
        Path prefix = Path.of(arguments[0]);
        int first = Integer.parseInt(arguments[1]);
        int cores = Integer.parseInt(arguments[2]);
        int pipes = Integer.parseInt(arguments[3]);
        int ip = Integer.parseInt(arguments[4]);
        AtomicBoolean ended = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int core = 0; core < cores; core++) {
            int offset = core * pipes;
            int number = first + core;
            threads.add(Thread.ofPlatform().start(() -> echo(prefix, number, pipes, ip + offset, ended)));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            ended.set(true);
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }));
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void echo(Path prefix, int core, int pipes, int ip, AtomicBoolean ended) {
        try (EchoProgram program = new EchoProgram(prefix, core)) {
            for (int i = 0; i < pipes; i++) {
                program.open(ip + i);
            }
            System.out.println("open");
            while (!ended.get()) {
                if (program.round() == 0) {
                    Thread.sleep(0, 50_000);
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void open(int ip) throws IOException {
        Pipe pipe = new Pipe();
        pipes.add(pipe);
        MemorySegment entry = entry(txTail);
        entry.fill((byte) 0);
        entry.set(ValueLayout.JAVA_LONG, EnsoFormats.CONFIG_ID, EnsoFormats.CONFIG_FLOW);
        entry.set(ValueLayout.JAVA_SHORT, EnsoFormats.FLOW_DESTINATION_PORT, (short) PORT);
        entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_DESTINATION_IP, ip);
        entry.set(ValueLayout.JAVA_INT, EnsoFormats.FLOW_PIPE, pipe.id);
        post(EnsoFormats.SIGNAL_CONFIG, null, 0);
        while (txHead != txTail) {
            completions();
        }
    }

    /** What has come goes back; says how many flits. */
    private int round() {
        notifications();
        int flits = 0;
        for (Pipe pipe : pipes) {
            int come = Math.min(MOST_FLITS, pipe.tail - pipe.read & FLITS - 1);
            int run = Math.min(come, FLITS - pipe.read);
            if (run > 0 && (txTail - txHead & ENTRIES - 1) < ENTRIES - 2) {
                MemorySegment entry = entry(txTail);
                entry.set(ValueLayout.JAVA_LONG, EnsoFormats.TX_LENGTH, run * 64L);
                entry.set(ValueLayout.JAVA_LONG, EnsoFormats.TX_ADDRESS, pipe.address + pipe.read * 64L);
                pipe.read = pipe.read + run & FLITS - 1;
                post(EnsoFormats.SIGNAL_DATA, pipe, run);
                flits += run;
            }
        }
        completions();
        return flits;
    }

    private void post(long signal, Pipe pipe, int flits) {
        SIGNAL.setRelease(entry(txTail), 0L, signal);
        sent.add(new long[] { pipe == null ? -1 : pipes.indexOf(pipe), flits });
        txTail = txTail + 1 & ENTRIES - 1;
        write(page + EnsoRegisters.TX_TAIL, txTail);
    }

    private void completions() {
        while (txHead != txTail && (long) SIGNAL.getAcquire(entry(txHead), 0L) == EnsoFormats.SIGNAL_DONE) {
            long[] done = sent.removeFirst();
            txHead = txHead + 1 & ENTRIES - 1;
            if (done[0] >= 0) {
                Pipe pipe = pipes.get((int) done[0]);
                pipe.head = pipe.head + (int) done[1] & FLITS - 1;
                write(pipe.page + EnsoRegisters.RX_HEAD, pipe.head);
            }
        }
    }

    private void notifications() {
        int before = rxHead;
        for (int i = 0; i < 64; i++) {
            MemorySegment entry = rings.asSlice(rxHead * 64L, 64);
            if ((long) SIGNAL.getAcquire(entry, 0L) == 0) {
                break;
            }
            int id = (int) entry.get(ValueLayout.JAVA_LONG, EnsoFormats.RX_PIPE);
            int tail = (int) entry.get(ValueLayout.JAVA_LONG, EnsoFormats.RX_TAIL);
            pipes.stream().filter(pipe -> pipe.id == id).forEach(pipe -> pipe.tail = tail);
            SIGNAL.setRelease(entry, 0L, 0L);
            rxHead = rxHead + 1 & ENTRIES - 1;
        }
        if (rxHead != before) {
            write(page + EnsoRegisters.RX_HEAD, rxHead);
        }
    }

    private MemorySegment entry(int slot) {
        return rings.asSlice(PAGE / 2 + slot * 64L, 64);
    }

    /** As a program that ends properly. */
    @Override
    public void close() throws IOException {
        for (Pipe pipe : pipes) {
            pipe.disable();
            Files.deleteIfExists(Path.of(prefix + "_rx_pipe:" + pipe.id));
            ask(Client.FREE_PIPE, pipe.id);
        }
        ask(Client.FREE_BUFFER, 0);
        for (int register : new int[] { EnsoRegisters.RX_ADDRESS_LOW, EnsoRegisters.RX_ADDRESS_HIGH,
                EnsoRegisters.TX_ADDRESS_LOW, EnsoRegisters.TX_ADDRESS_HIGH }) {
            write(page + register, 0);
        }
        Files.deleteIfExists(Path.of(prefix + "_notif_buf:" + buffer));
        for (Path file : made) {
            Files.deleteIfExists(file);
        }
        arena.close();
    }

    private MessageQueue queue(String way, int core) throws IOException {
        Path file = Path.of(prefix + "_queue:enso_ipc_queue_" + way + "_app" + core + "_" + PAGE);
        boolean is = Files.exists(file);
        MessageQueue queue = new MessageQueue(map(file, PAGE));
        if (!is) {
            made.add(file);
        }
        return queue;
    }

    private MemorySegment map(Path file, long bytes) throws IOException {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
            access.setLength(bytes);
            return access.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    private long translate(Path file) throws IOException {
        return ask(Client.TRANSLATE, (long) Files.getAttribute(file, "unix:ino") * PAGE)[1];
    }

    private void write(long offset, long value) {
        while (!requests.offer(Client.WRITE, offset, value & 0xFFFF_FFFFL)) {
            Thread.onSpinWait();
        }
    }

    private long[] ask(int kind, long a) {
        while (!requests.offer(kind, a, 0)) {
            Thread.onSpinWait();
        }
        while (!replies.poll()) {
            Thread.yield();
        }
        return new long[] { replies.a(), replies.b() };
    }
}
