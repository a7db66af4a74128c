package dev.bascule.model.corundum.replay;

import dev.bascule.model.corundum.CorundumObserver;
import dev.bascule.model.replay.Action.Kind;
import dev.bascule.model.replay.Action;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Writes down what a Corundum model does. */
final class CorundumRecorder implements CorundumObserver {
    private List<Action> actions = new ArrayList<>();

    /** Returns what was done since the last call, and forgets it. */
    List<Action> take() {
        List<Action> taken = actions;
        actions = new ArrayList<>();
        return taken;
    }

    boolean isEmpty() {
        return actions.isEmpty();
    }

    @Override
    public void descriptorRead(boolean transmit, int queue, long address, int lengthBytes, long cause) {
        add(transmit ? Kind.TX_DESCRIPTOR : Kind.RX_DESCRIPTOR, queue, address, lengthBytes, Action.NO_DATA, cause);
    }

    @Override
    public void dataRead(int queue, long address, int lengthBytes, long cause) {
        add(Kind.TX_DATA, queue, address, lengthBytes, Action.NO_DATA, cause);
    }

    @Override
    public void dataWritten(int queue, long address, byte[] data, int offset, int lengthBytes, long cause) {
        add(Kind.RX_DATA, queue, address, lengthBytes, Arrays.copyOfRange(data, offset, offset + lengthBytes), cause);
    }

    @Override
    public void recordWritten(boolean events, int queue, long address, byte[] record, long cause) {
        add(events ? Kind.EVENT : Kind.COMPLETION, queue, address, record.length, record.clone(), cause);
    }

    @Override
    public void transmitted(int port, byte[] data, int offset, int lengthBytes, long cause) {
        add(Kind.FRAME, port, 0, lengthBytes, Arrays.copyOfRange(data, offset, offset + lengthBytes), cause);
    }

    @Override
    public void interrupted(int vector, long cause) {
        add(Kind.INTERRUPT, vector, 0, 0, Action.NO_DATA, cause);
    }

    private void add(Kind kind, int stream, long address, int lengthBytes, byte[] data, long cause) {
        actions.add(new Action(kind, stream, address, lengthBytes, data, cause));
    }
}
