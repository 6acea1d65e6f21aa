/// The folders of a module in layers: a folder names the types of its own folder and of the folders before it.
struct Layers: Sendable {
    let module: String
    /// From the lowest up.
    let folders: [String]
    /// The folder of each type that is declared at the top of a file.
    let folderOfType: [String: String]

    static let all = [
        Layers(of: "Execution", folders: ["Memory", "Access", "Machine"], files: Repository.current.files),
        Layers(
            of: "Services",
            folders: [
                "Devices", "People", "Rooms", "Documents", "Moderation", "Sessions", "Outside", "Personal", "Commands",
            ],
            files: Repository.current.files
        ),
    ]

    init(of module: String, folders: [String], files: [SourceFile]) {
        self.module = module
        self.folders = folders
        var found: [String: String] = [:]
        for file in files where file.room == module {
            for type in file.outerTypes { found[type] = Self.folder(of: file) }
        }
        folderOfType = found
    }

    /// `Sources/Subjects/Execution/Machine/Actor.swift` → `Machine`; nil for a file that lies in no folder of its module.
    private static func folder(of file: SourceFile) -> String? {
        file.folders.count > 4 ? String(file.folders[3]) : nil
    }

    /// The places where a file names a type of a folder after its own, and a file that lies in no listed folder.
    func findings(in file: SourceFile) -> [Finding] {
        guard file.room == module else { return [] }
        guard let folder = Self.folder(of: file), let layer = folders.firstIndex(of: folder) else {
            let known = folders.joined(separator: ", ")
            return [Finding(file, 1, "the file lies in none of the layers of \(module): \(known)")]
        }
        let higher = Set(folders[(layer + 1)...])
        return file.tokens.compactMap { token in
            guard let other = folderOfType[token.text], higher.contains(other) else { return nil }
            return Finding(file, token.line, "\(folder) may not name \(token.text) of \(other)")
        }
    }
}

extension Rule {
    static let layers = [
        Rule(
            name: "a folder of a module in layers names no type of a folder above it",
            bad: SourceFile(
                path: "Sources/Subjects/Services/Documents/A.swift", text: "struct A { let page: LogPage }\n"
            ),
            good: SourceFile(
                path: "Sources/Subjects/Services/Outside/A.swift",
                text: "/// Not `CommandEnvelope`.\nstruct A { let page: LogPage }\n"
            ),
            findings: { file in Layers.all.flatMap { $0.findings(in: file) } }
        )
    ]
}

extension SourceFile {
    /// The names of the types that are declared at the top of the file, outside all braces.
    var outerTypes: [String] {
        let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        var depth = 0
        return tokens.indices.compactMap { index in
            switch tokens[index].text {
            case "{": depth += 1
            case "}": depth -= 1
            case let word where depth == 0 && keywords.contains(word) && text(at: index - 1) != "import":
                return text(at: index + 1)
            default: break
            }
            return nil
        }
    }
}
