package dev.bascule.model.parts;

import dev.bascule.device.DeviceModel;
import dev.bascule.device.ForwardingModel;
import java.util.concurrent.locks.Lock;

/** A model whose registers are accessed, and which is reset, under a lock that its card's thread takes as well. */
public final class LockedModel extends ForwardingModel {
    private final Lock lock;

    /** The model under {@code lock}. */
    public LockedModel(DeviceModel model, Lock lock) {
        super(model);
        this.lock = lock;
    }

    @Override
    public long read(int bar, long offset, int widthBytes) {
        lock.lock();
        try {
            return super.read(bar, offset, widthBytes);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(int bar, long offset, int widthBytes, long value) {
        lock.lock();
        try {
            super.write(bar, offset, widthBytes, value);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reset() {
        lock.lock();
        try {
            super.reset();
        } finally {
            lock.unlock();
        }
    }
}
