package dev.bascule.model.corundum;

import dev.bascule.nic.corundum.MqnicRegisters;

/** A read-only block. */
final class ConstantBlock extends RegisterBlock {
    private final int[] fields;

    /** @param fields from offset 0x0C on; after them it reads 0 */
    ConstantBlock(int type, int version, int lengthBytes, int... fields) {
        super(type, version, lengthBytes);
        this.fields = fields;
    }

    @Override
    int readField(int offset) {
        int index = offset - MqnicRegisters.BLOCK_FIRST_FIELD >> 2;
        return index < fields.length ? fields[index] : 0;
    }
}
