/// The modules as the manifest declares them, from the lowest up, and which module sees which.
struct Arrows: Sendable {
    /// A module of `Sources`, or a program.
    struct Room: Sendable, Equatable {
        let name: String
        /// Where its files are.
        let folder: String
        let sees: Set<String>
        /// Whether it is started from a terminal and may write to it.
        let isProgram: Bool
    }

    static let current = Arrows(manifest: Repository.current.manifest)

    /// In the order of the manifest.
    let rooms: [Room]

    /// Modules without I/O: they use only the standard library, and collections.
    static let pure: Set = ["Digits", "JSON", "Model", "Wire", "ClientProtocol", "Fanout"]
    /// The only package that they may see.
    static let pureProducts: Set = ["DequeModule"]

    /// Comes with the compiler or with Apple's systems, and is not an arrow of the house.
    static let toolchain: Set = [
        "CryptoKit", "Foundation", "FoundationEssentials", "FoundationNetworking", "Glibc", "Synchronization",
    ]

    /// Reads the text of `Package.swift`.
    init(manifest: String) {
        var products: [String: String] = [:]
        for match in manifest.matches(of: /let (\w+) = Target\.Dependency\.(?:product|target)\(name: "(\w+)"/) {
            products[String(match.1)] = String(match.2)
        }
        let targets = manifest.matches(
            of:
                #/
                (\b room | \.executableTarget) \( \s* (?:name:\s)? "(?:(\w+)\/)?([\w\-]+)"
                ([^)]*? \b (?:sees|dependencies): \s \[ ([^\]]*) \] (?:,\s* path: \s "([^"]*)")?)?
                /#
        )
        rooms = targets.filter { $0.1 == "room" || $0.4 != nil }.map { target in
            let seen = (target.5 ?? "").split(separator: /[\s,]+/).map { word in
                word.hasPrefix("\"") ? String(word.dropFirst().dropLast()) : products[String(word)] ?? String(word)
            }
            return Room(
                name: String(target.3),
                folder: target.2.map { "Sources/\($0)/\(target.3)" } ?? String(target.6 ?? ""),
                sees: Set(seen),
                isProgram: target.1 != "room"
            )
        }
    }

    subscript(name: String) -> Room? { rooms.first { $0.name == name } }

    /// The arrows from a lower module to a higher one, or to itself.
    var upward: [String] {
        rooms.enumerated().flatMap { index, room in
            room.sees.intersection(rooms[index...].map(\.name)).sorted().map { "\(room.name) → \($0)" }
        }
    }

    /// The arrows from modules without I/O to anything else.
    var impure: [String] {
        rooms.filter { Self.pure.contains($0.name) }.flatMap { room in
            room.sees.subtracting(Self.pure).subtracting(Self.pureProducts).sorted().map { "\(room.name) → \($0)" }
        }
    }

    /// The unused arrows: no file of the module imports the other one.
    func dead(in files: [SourceFile]) -> [String] {
        rooms.flatMap { room in
            let imports = files.filter { $0.path.hasPrefix(room.folder + "/") }.flatMap { $0.imports.map(\.text) }
            return room.sees.subtracting(imports).sorted().map { "\(room.name) → \($0)" }
        }
    }
}
