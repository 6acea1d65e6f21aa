/// Joins ES modules to one: each once, those that it imports before it, without the lines that import and the words that export.
///
/// It knows one form of import, `import { a, b } from "./name.js";` alone on its line, and of export the word before `class`,
/// `function`, `async function` and `const`. The list of names that the last module exports stays. No two modules may declare the same
/// name.
enum ModuleJoin {
    /// The joined module.
    /// - Parameter modules: All of them by their file names; a module that is missing is a mistake of this program.
    static func bytes(of last: String, among modules: [String: [UInt8]]) -> [UInt8] {
        var seen: Set<String> = []
        var parts: [String] = []
        func visit(_ name: String) {
            guard seen.insert(name).inserted else { return }
            guard let bytes = modules[name] else { preconditionFailure("there is no module \(name)") }
            var own: [Substring] = []
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            {
                if let imported = imported(by: line) { visit(imported) } else { own.append(withoutExport(line)) }
            }
            parts.append(own.joined(separator: "\n"))
        }
        visit(last)
        return Array(parts.joined(separator: "\n").utf8)
    }

    private static func imported(by line: Substring) -> String? {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard line.hasPrefix("import { "), parts.count == 3, parts[1].hasPrefix("./"), parts[2] == ";" else {
            return nil
        }
        return String(parts[1].dropFirst(2))
    }

    private static func withoutExport(_ line: Substring) -> Substring {
        let exports = ["class ", "function ", "async function ", "const "].contains { line.hasPrefix("export " + $0) }
        return exports ? line.dropFirst("export ".count) : line
    }
}
