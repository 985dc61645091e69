package org.elasticsearch.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.SecureString;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.plugins.ClasspathPlugins;
import org.elasticsearch.plugins.ExtraAnalysisPlugin;
import org.elasticsearch.plugins.ExtraLanguagePlugin;
import org.elasticsearch.plugins.ExtraRestPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.PluginsLoader;
import org.elasticsearch.plugins.PluginsService;
import org.elasticsearch.transport.netty4.Netty4Plugin;
import org.elasticsearch.xpack.core.XPackPlugin;
import org.elasticsearch.xpack.core.security.authc.support.Hasher;
import org.elasticsearch.xpack.security.Security;

/**
 * One Elasticsearch node with security on, until standard input closes.
 *
 * <p>Arguments: the home directory, and {@code --temporary} to delete it at the end. The first line of standard input
 * is {@code user:password} of the administrator, so that no process list shows it. When the starting process ends in
 * any way, kill -9 included, standard input closes and the node stops. The operating system chooses the port; the
 * READY line names it.
 */
public class EsServer {
    private static final List<Class<? extends Plugin>> PLUGINS = List.of(
        Netty4Plugin.class, ExtraRestPlugin.class, ExtraAnalysisPlugin.class, ExtraLanguagePlugin.class, XPackPlugin.class,
        Security.class);

    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]).toAbsolutePath();
        boolean temporary = args.length > 1 && args[1].equals("--temporary");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Path config = Files.createDirectories(home.resolve("config"));
        writeAdministrator(config, input.readLine());

        LogConfigurator.configureWithoutConfig(Settings.builder().put("logger.level", System.getProperty("es.log.level", "WARN")).build());
        LogConfigurator.configureESLogging();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings(home), Map.of(), config, () -> "node-1");
        NodeServiceProvider provider = new NodeServiceProvider() {
            @Override
            PluginsService newPluginService(Environment e, PluginsLoader loader) {
                return new ClasspathPlugins(e.settings(), e.configDir(), PLUGINS);
            }
        };
        PluginsLoader none = PluginsLoader.createPluginsLoader(Set.of(), Set.of(), Map.of(), false);
        Node node = new Node(NodeConstruction.prepareConstruction(environment, none, provider, true));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node, temporary ? home : null)));
        endWithInput(input);
        node.start();
        int port = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
        System.out.println("READY http://127.0.0.1:" + port);
    }

    private static Settings settings(Path home) {
        return Settings.builder()
            .put("path.home", home.toString()).put("path.data", home.resolve("data").toString())
            .put("path.logs", home.resolve("logs").toString())
            .put("cluster.name", "millrace-world").put("node.name", "node-1").put("discovery.type", "single-node")
            .put("network.host", "127.0.0.1").put("http.port", "0").put("transport.port", "0")
            // A developer's disk is often over 90 % full, which would make every index read-only.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            // The default of a real cluster.
            .put("action.auto_create_index", true)
            .put("xpack.security.enabled", true).put("xpack.security.autoconfiguration.enabled", false)
            .put("xpack.security.http.ssl.enabled", false).put("xpack.security.transport.ssl.enabled", false)
            .put("xpack.license.self_generated.type", "basic")
            .build();
    }

    private static void writeAdministrator(Path config, String line) throws IOException {
        String[] parts = line.split(":", 2);
        char[] hash = Hasher.BCRYPT.hash(new SecureString(parts[1].toCharArray()));
        Files.writeString(config.resolve("users"), parts[0] + ":" + new String(hash) + "\n");
        Files.writeString(config.resolve("users_roles"), "superuser:" + parts[0] + "\n");
    }

    /** Also ends a node that is still starting. Only this thread is not a daemon, so it keeps the process up. */
    private static void endWithInput(BufferedReader input) {
        new Thread(() -> {
            try {
                while (input.readLine() != null) { /* nothing more is expected; wait for the end */ }
            } catch (IOException ended) { /* a broken pipe is an end too */ }
            System.exit(0);
        }, "end-with-input").start();
    }

    private static void close(Node node, Path delete) {
        // A node with hanging threads must not outlive its starter: it is ended after ten seconds.
        Thread limit = new Thread(() -> {
            try {
                Thread.sleep(10_000);
            } catch (InterruptedException e) {
                return;
            }
            Runtime.getRuntime().halt(1);
        });
        limit.setDaemon(true);
        limit.start();
        try {
            node.prepareForClose();
            node.close();
            node.awaitClose(8, TimeUnit.SECONDS);
        } catch (Throwable failed) {
            failed.printStackTrace();
        }
        if (delete != null) deleteTree(delete);
    }

    private static void deleteTree(Path top) {
        try (var paths = Files.walk(top)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (IOException | UncheckedIOException left) {
            // The starter deletes it too, if it is still alive.
        }
    }
}
