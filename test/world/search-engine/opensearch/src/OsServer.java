import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.knn.plugin.KNNPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/**
 * One OpenSearch node with k-NN and without its security plugin, until standard input closes.
 *
 * <p>Arguments: the home directory, and {@code --temporary} to delete it at the end. The operating system chooses the
 * port; the READY line names it.
 */
public class OsServer extends Node {
    private static final List<Class<? extends Plugin>> PLUGINS = List.of(Netty4Plugin.class,
        CommonAnalysisPlugin.class, MapperExtrasPlugin.class, PainlessPlugin.class, KNNPlugin.class);

    OsServer(Environment environment, Collection<Class<? extends Plugin>> plugins) {
        super(environment, plugins, true);
    }

    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]).toAbsolutePath();
        boolean temporary = args.length > 1 && args[1].equals("--temporary");
        for (String name : List.of("config", "data", "logs", "modules", "plugins")) Files.createDirectories(home.resolve(name));
        LogConfigurator.configureWithoutConfig(Settings.builder().put("logger.level", System.getProperty("os.log.level", "ERROR")).build());
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings(home), Map.of(), home.resolve("config"), () -> "node-1");
        OsServer node = new OsServer(environment, PLUGINS);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node, temporary ? home : null)));
        endWithInput();
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
            .put("http.type", "netty4").put("transport.type", "netty4")
            // A developer's disk is often over 90 % full, which would make every index read-only.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            // The default of a real cluster.
            .put("action.auto_create_index", true)
            .build();
    }

    /** When the starting process ends in any way, kill -9 included, standard input closes and the node stops. */
    private static void endWithInput() {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        new Thread(() -> {
            try {
                while (input.readLine() != null) { /* nothing is expected; wait for the end */ }
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
            node.close();
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
