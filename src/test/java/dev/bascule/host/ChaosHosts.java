package dev.bascule.host;

import dev.bascule.agent.MechanismEnd;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Ends of hosts that crash. */
final class ChaosHosts {
    private ChaosHosts() {}

    /** The end of a host that crashes: its close does nothing, so that no agent learns of it. */
    static MechanismEnd silent(MechanismEnd end) {
        return (MechanismEnd) Proxy.newProxyInstance(ChaosHosts.class.getClassLoader(),
                new Class<?>[] { MechanismEnd.class }, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(end, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
