package dev.bascule.memory;

/** A process that asks for a physical address. */
final class PagemapChild {
    private PagemapChild() {}

    public static void main(String[] args) {
        try (Pagemap pagemap = Pagemap.open();
                DmaBuffer buffer = DmaBuffer.allocate("child", 4096, DmaBuffer.Locking.PREFERRED)) {
            System.out.println("physical " + pagemap.physicalAddress(buffer.segment(), 0));
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
            System.exit(3);
        }
    }
}
