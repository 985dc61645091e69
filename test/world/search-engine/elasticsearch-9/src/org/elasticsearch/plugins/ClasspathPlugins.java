package org.elasticsearch.plugins;

import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.elasticsearch.Build;
import org.elasticsearch.action.admin.cluster.node.info.PluginsAndModules;
import org.elasticsearch.common.settings.Settings;

/** Loads plugins from one flat class path instead of ES_HOME/modules. */
public class ClasspathPlugins extends PluginsService {
    private final List<LoadedPlugin> loaded = new ArrayList<>();

    public ClasspathPlugins(Settings settings, Path config, List<Class<? extends Plugin>> classes) {
        super(settings, config, PluginsLoader.createPluginsLoader(Set.of(), Set.of(), Map.of(), false));
        for (Class<? extends Plugin> type : classes) {
            PluginDescriptor descriptor = new PluginDescriptor(type.getName(), "from the class path", "NA",
                Build.current().version(), "17", type.getName(), null, List.of(), false, false, false, false, PluginDescriptor.DeploymentTarget.ALL);
            loaded.add(new LoadedPlugin(descriptor, create(type, settings, config), getClass().getClassLoader()));
        }
        loadExtensions(loaded);
    }

    /** Each provider once, for its own plugin; Elasticsearch would use each plugin's class loader. */
    @Override
    public <T> List<? extends T> loadServiceProviders(Class<T> service) {
        List<T> providers = new ArrayList<>();
        for (ServiceLoader.Provider<T> provider : ServiceLoader.load(service, getClass().getClassLoader()).stream().toList()) {
            Optional<Constructor<?>> ofPlugin = Arrays.stream(provider.type().getConstructors())
                .filter(c -> c.getParameterCount() == 1 && Plugin.class.isAssignableFrom(c.getParameterTypes()[0]))
                .findFirst();
            if (ofPlugin.isEmpty()) {
                providers.add(provider.get());
                continue;
            }
            plugins().stream().map(LoadedPlugin::instance)
                .filter(ofPlugin.get().getParameterTypes()[0]::isInstance).findFirst()
                .ifPresent(owner -> providers.add(provider.type().cast(call(ofPlugin.get(), owner))));
        }
        return providers;
    }

    // The parent's constructor calls this before the field is set.
    @Override
    protected final List<LoadedPlugin> plugins() {
        return loaded == null ? List.of() : loaded;
    }

    @Override
    public PluginsAndModules info() {
        return new PluginsAndModules(List.of(), List.of());
    }

    private static Plugin create(Class<? extends Plugin> type, Settings settings, Path config) {
        for (Constructor<?> constructor : type.getConstructors()) {
            List<Class<?>> takes = List.of(constructor.getParameterTypes());
            if (takes.equals(List.of(Settings.class, Path.class))) return (Plugin) call(constructor, settings, config);
            if (takes.equals(List.of(Settings.class))) return (Plugin) call(constructor, settings);
            if (takes.isEmpty()) return (Plugin) call(constructor);
        }
        throw new IllegalStateException("no known constructor: " + type);
    }

    private static Object call(Constructor<?> constructor, Object... arguments) {
        try {
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot create " + constructor.getDeclaringClass(), e);
        }
    }
}
