package dev.bascule.nic.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.enso.EnsoDevice;
import dev.bascule.model.enso.WireSink;
import dev.bascule.nic.RxTxPipe;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device that stops in the middle: the driver says which step got no answer, and does not wait for ever. */
class EnsoSilentDeviceTest {
    private final EnsoDevice device = new EnsoDevice(EnsoRig.board(EnsoRig.SMALL), () -> 0, WireSink.NONE);
    private final LoopbackDevice backing = LoopbackDevice.open(deafAtWill(device));
    private boolean works = true;
    private boolean hears = true;

    @AfterEach
    void close() {
        backing.close();
    }

    /** Register stores are lost while it does not hear. */
    private DeviceModel deafAtWill(DeviceModel model) {
        return (DeviceModel) Proxy.newProxyInstance(DeviceModel.class.getClassLoader(),
                new Class<?>[] { DeviceModel.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("write") && !hears) {
                        return null;
                    }
                    try {
                        return method.invoke(model, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private EnsoNic open() {
        return EnsoNic.open(backing, EnsoRig.SMALL, work -> {
            if (works) {
                device.work(1000);
            }
        });
    }

    @Test
    void aConfigurationThatIsNotCompletedIsToldByItsStep() {
        EnsoNic nic = open();
        EnsoGroup group = nic.openGroup();
        works = false;
        assertThatThrownBy(group::openFallbackRx).isInstanceOf(DeviceException.class)
                .hasMessageContaining("set 1 fallback pipes").hasMessageContaining("did not complete");
        works = true;
        assertThat(group.openRx().peek()).as("the next try finds a device that works").isZero();
        nic.close();
    }

    @Test
    void aSendThatIsNeverReadHoldsItsBytesAndClosingSaysSo() {
        EnsoNic nic = open();
        EnsoGroup group = nic.openGroup();
        RxTxPipe pipe = group.openFallbackRxTx();
        device.receive(EnsoRig.frame(60, 1), 0, 60);
        pipe.confirm(pipe.peek());
        works = false;
        assertThat(pipe.sendAndFree(64)).isEqualTo(64);
        for (int i = 0; i < 1000; i++) {
            assertThat(group.poll()).isZero();
        }
        assertThat(pipe.pendingBytes()).isEqualTo(64);
        assertThatThrownBy(() -> group.close(pipe)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("send the rest of pipe").hasMessageContaining("did not answer");
        works = true;
        nic.close();
    }

    @Test
    void aDeviceThatLosesStoresIsNotOpened() {
        hears = false;
        assertThatThrownBy(this::open).isInstanceOf(DeviceException.class).hasMessageContaining("enso");
        hears = true;
        open().close();
    }

    @Test
    void aPipeThatTheDeviceDoesNotTurnOffIsNotGivenBack() {
        EnsoNic nic = open();
        EnsoGroup group = nic.openGroup();
        RxTxPipe pipe = group.openRxTx();
        hears = false;
        assertThatThrownBy(() -> group.close(pipe)).isInstanceOf(DeviceException.class);
        hears = true;
        assertThat(group.openRx().id()).as("its number is not given to another").isNotEqualTo(pipe.id());
    }
}
