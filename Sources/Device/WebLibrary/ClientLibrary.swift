import Crypto
import Digits

/// The library for browsers and Node: one ES module without dependencies, with its types, and two modules that it loads only where
/// they are needed: the service worker for pushes, and the store of Node. Its sources are the modules in
/// `Files`, which are joined here, so that an application copies one file, and a reader finds several.
///
/// - Confinement: any
package enum ClientLibrary {
    /// A file as it is served and written to a folder.
    ///
    /// - Confinement: any
    package struct File: Sendable {
        package let name: String
        /// Its media type.
        package let type: String
        package let bytes: [UInt8]
        /// The entity tag: a value that changes with the file (RFC 9110, section 8.8.3).
        package let tag: String

        init(_ name: String, type: String, _ bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.bytes = bytes
            tag =
                "\"" + String(decoding: Hexadecimal.encode(Array(Digest.sha256(bytes).prefix(12))), as: UTF8.self)
                + "\""
        }
    }

    /// The files, in the order of their names.
    package static let files = [
        module("watchwise-sqlite.js", PackageResources.watchwise_sqlite_js),
        module("watchwise-worker.js", PackageResources.watchwise_worker_js),
        File("watchwise.d.ts", type: "text/plain", PackageResources.watchwise_d_ts),
        module("watchwise.js", joined),
    ]

    /// The module before its comments and spaces are taken out.
    static let joined = ModuleJoin.bytes(of: "watchwise.js", among: modules)

    /// Browsers load it: it has no comments.
    private static func module(_ name: String, _ bytes: [UInt8]) -> File {
        File(name, type: "text/javascript", ModuleCompaction.compact(bytes))
    }

    /// The file with this name; nil when there is none.
    package static func file(named name: String) -> File? { files.first { $0.name == name } }

    private static let modules: [String: [UInt8]] = [
        "commands.js": PackageResources.commands_js,
        "core.js": PackageResources.core_js,
        "engine.js": PackageResources.engine_js,
        "errors.js": PackageResources.errors_js,
        "event-batch.js": PackageResources.event_batch_js,
        "fetching.js": PackageResources.fetching_js,
        "handles.js": PackageResources.handles_js,
        "lanes.js": PackageResources.lanes_js,
        "lists.js": PackageResources.lists_js,
        "mirror.js": PackageResources.mirror_js,
        "needs.js": PackageResources.needs_js,
        "opening.js": PackageResources.opening_js,
        "outbox.js": PackageResources.outbox_js,
        "overlay.js": PackageResources.overlay_js,
        "patches.js": PackageResources.patches_js,
        "presence.js": PackageResources.presence_js,
        "push.js": PackageResources.push_js,
        "received.js": PackageResources.received_js,
        "retrying.js": PackageResources.retrying_js,
        "session.js": PackageResources.session_js,
        "sizes.js": PackageResources.sizes_js,
        "store-copied.js": PackageResources.store_copied_js,
        "store-indexeddb.js": PackageResources.store_indexeddb_js,
        "store-memory.js": PackageResources.store_memory_js,
        "store.js": PackageResources.store_js,
        "stream-watches.js": PackageResources.stream_watches_js,
        "streams.js": PackageResources.streams_js,
        "tabs.js": PackageResources.tabs_js,
        "transport.js": PackageResources.transport_js,
        "users.js": PackageResources.users_js,
        "writes.js": PackageResources.writes_js,
        "watchwise.js": PackageResources.watchwise_js,
    ]
}
