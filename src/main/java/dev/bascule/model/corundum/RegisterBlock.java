package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicRegisters;

/** A discoverable register block: type, version, offset of the next one, then its fields. */
abstract class RegisterBlock implements RegisterWindow {
    private final int type;
    private final int version;
    private final int lengthBytes;
    private int next;

    RegisterBlock(int type, int version, int lengthBytes) {
        this.type = type;
        this.version = version;
        this.lengthBytes = lengthBytes;
    }

    final int lengthBytes() {
        return lengthBytes;
    }

    final void linkTo(int nextOffset) {
        next = nextOffset;
    }

    @Override
    public final int read(int offset) {
        return switch (offset) {
            case MqnicRegisters.BLOCK_TYPE -> type;
            case MqnicRegisters.BLOCK_VERSION -> version;
            case MqnicRegisters.BLOCK_NEXT -> next;
            default -> readField(offset);
        };
    }

    @Override
    public final void write(int offset, int value, int lanes) {
        if (offset >= MqnicRegisters.BLOCK_FIRST_FIELD) {
            writeField(offset, value, lanes);
        }
    }

    abstract int readField(int offset);

    /** Read-only unless overridden. */
    void writeField(int offset, int value, int lanes) {}

    @Override
    public void reset() {}
}
