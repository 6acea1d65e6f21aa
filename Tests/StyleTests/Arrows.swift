/// The house: which room sees which, from the lowest up. The manifest must say the same.
enum Arrows {
    /// Lower rooms first; a room sees only rooms above it in this list.
    static let house: KeyValuePairs<String, Set<String>> = [
        "JSON": [],
        "Model": ["JSON"],
        "Wire": ["Model"],
        "ClientProtocol": ["JSON", "Model"],
        "Fanout": ["Model"],
        "EventLoop": ["CUV"],
        "TLS": ["COpenSSL"],
        "Outbound": ["CCurl", "EventLoop", "Model"],
        "Compression": ["CZlib", "Wire"],
        "Authentication": ["JSON", "Model", "TLS"],
        "Triggers": ["JSON", "Model", "Mustache", "GRDBSQLite"],
        "Feeds": ["CExpat", "JSON", "Model"],
        "Store": ["CSQLite", "JSON", "Model", "GRDB"],
        "Services": ["JSON", "Model", "ClientProtocol", "Feeds", "Store", "Triggers"],
        "Server": [
            "JSON", "Model", "Wire", "ClientProtocol", "Fanout", "EventLoop", "TLS", "Compression",
            "Authentication", "Feeds", "Triggers", "Store", "Services", "Outbound",
        ],
        "Client": ["JSON", "Model", "Wire", "ClientProtocol", "EventLoop", "TLS", "Compression"],
        "watchwise": [
            "JSON", "Model", "Wire", "ClientProtocol", "Authentication", "Server", "Client", "EventLoop",
            "ArgumentParser", "CBuild",
        ],
        "watchwise-load": [
            "JSON", "Model", "Wire", "ClientProtocol", "Client", "EventLoop", "Authentication", "TLS",
            "ArgumentParser", "Histogram",
        ],
        "watchwise-simulate": [
            "JSON", "Model", "Wire", "ClientProtocol", "Client", "EventLoop", "Authentication", "Server",
            "SimulatedKernel", "GRDB",
        ],
        "watchwise-bench": [
            "JSON", "Model", "Wire", "ClientProtocol", "EventLoop", "Compression", "Authentication", "Server",
            "Counting", "TestSupport",
        ],
    ]

    static let sees = Dictionary(uniqueKeysWithValues: house.map { ($0.key, $0.value) })

    /// Values without I/O: standard library only.
    static let pure: Set = ["JSON", "Model", "Wire", "ClientProtocol", "Fanout"]

    /// What is started from a terminal and may speak to it.
    static let programs: Set = ["watchwise", "watchwise-load", "watchwise-simulate", "watchwise-bench"]

    /// Comes with the compiler; no arrow of the house.
    static let toolchain: Set = ["Foundation", "FoundationEssentials", "Glibc", "Synchronization"]

    /// The arrows that point from a lower room to a higher one, or to itself.
    static func upward(in house: KeyValuePairs<String, Set<String>>) -> [String] {
        let order = house.map(\.key)
        return house.enumerated().flatMap { index, room in
            room.value.intersection(order[index...]).sorted().map { "\(room.key) → \($0)" }
        }
    }

    /// Which room sees which according to the text of `Package.swift`.
    static func declared(in manifest: SourceText) -> [String: Set<String>] {
        var products: [String: String] = [:]
        for match in manifest.text.matches(of: /let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/) {
            products[String(match.1)] = String(match.2)
        }
        var found: [String: Set<String>] = [:]
        let rooms = manifest.text.matches(of: /\broom\(\s*"(\w+)"(?:,\s*sees: \[([^\]]*)\])?/).map { ($0.1, $0.2) }
        let programs = manifest.text.matches(
            of: /\.executableTarget\(\s*name: "([\w-]+)",\s*dependencies: \[([^\]]*)\]/
        )
        .map { ($0.1, Optional($0.2)) }
        for (name, list) in rooms + programs {
            let seen = (list ?? "").split(separator: /[\s,]+/).map { word in
                word.hasPrefix("\"") ? String(word.dropFirst().dropLast()) : products[String(word)] ?? String(word)
            }
            found[String(name)] = Set(seen)
        }
        return found
    }
}

/// A text that is no Swift to be checked, with its place.
struct SourceText: Sendable {
    let path: String
    let text: String
}
