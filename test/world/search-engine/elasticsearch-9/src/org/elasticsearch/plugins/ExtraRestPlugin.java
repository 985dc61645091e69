package org.elasticsearch.plugins;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.lucene.util.Version;
import org.elasticsearch.Build;
import org.elasticsearch.action.admin.cluster.node.info.NodesInfoRequest;
import org.elasticsearch.action.admin.cluster.node.info.NodesInfoResponse;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.rest.action.RestBuilderListener;
import org.elasticsearch.xcontent.XContentBuilder;

/** {@code GET /} and {@code HEAD /}, whose module (rest-root) is not published. */
public class ExtraRestPlugin extends Plugin implements ActionPlugin {
    @Override
    public Collection<RestHandler> getRestHandlers(RestHandlersServices services, Supplier<DiscoveryNodes> nodes,
            Predicate<NodeFeature> features) {
        return List.of(new Root());
    }

    static class Root extends BaseRestHandler {
        @Override
        public String getName() {
            return "main_action";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        /** Behind an action of the `monitor` privilege, so that a restricted key is refused here as by a real cluster. */
        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> client.admin().cluster().nodesInfo(new NodesInfoRequest().clear(),
                new RestBuilderListener<>(channel) {
                    @Override
                    public RestResponse buildResponse(NodesInfoResponse nodes, XContentBuilder builder) throws IOException {
                        return new RestResponse(RestStatus.OK, describe(builder, nodes.getClusterName().value()));
                    }
                });
        }

        private static XContentBuilder describe(XContentBuilder builder, String cluster) throws IOException {
            Build build = Build.current();
            return builder.startObject().field("name", "node-1").field("cluster_name", cluster).field("cluster_uuid", "_na_")
                .startObject("version").field("number", build.qualifiedVersion()).field("build_flavor", build.flavor())
                .field("build_type", build.type().displayName()).field("build_hash", build.hash()).field("build_date", build.date())
                .field("build_snapshot", build.isSnapshot()).field("lucene_version", Version.LATEST.toString())
                .field("minimum_wire_compatibility_version", build.minWireCompatVersion())
                .field("minimum_index_compatibility_version", build.minIndexCompatVersion()).endObject()
                .field("tagline", "You Know, for Search").endObject();
        }
    }
}
