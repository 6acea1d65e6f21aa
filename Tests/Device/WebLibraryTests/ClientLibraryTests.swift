import Testing

@testable import WebLibrary

/// The library for browsers and Node, joined from its modules.
@Suite struct ClientLibraryTests {
    @Test func `the module is whole: nothing is imported, and all that it exports is declared`() throws {
        let file = try #require(ClientLibrary.file(named: "watchwise.js"))
        let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("import ") } == [])
        let exports = lines.filter { $0.hasPrefix("export") }
        #expect(exports.count == 1 && exports[0].hasPrefix("export{"), "\(exports)")
        let named = exports[0].split(whereSeparator: { " {},;".contains($0) }).dropFirst()
        #expect(named.contains("WatchWise") && named.contains("WatchWiseError"))
        for name in named {
            #expect(
                lines.count { line in
                    ["class \(name){", "class \(name) ", "function \(name)("].contains { line.hasPrefix($0) }
                } == 1, "\(name)")
        }
    }

    @Test func `no two modules declare the same name`() {
        var declared: [Substring: Int] = [:]
        for line in String(decoding: ClientLibrary.joined, as: UTF8.self).split(separator: "\n") {
            for word in ["class ", "function ", "async function ", "const ", "let "] where line.hasPrefix(word) {
                declared[
                    line.dropFirst(word.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" },
                    default: 0] += 1
            }
        }
        #expect(declared.count > 50)
        #expect(declared.filter { $0.key != "" && $0.value > 1 } == [:])
    }

    @Test func `a module comes once, after those that it imports`() {
        let modules = [
            "a.js":
                "import { b } from \"./b.js\";\nimport { c } from \"./c.js\";\n\nexport const a = b + c;\nexport { a };\n",
            "b.js": "import { c } from \"./c.js\";\nexport function b() {}\n",
            "c.js": "/** \"./no.js\" */\nexport class c {}\nexport async function d() { return \"import { x }\"; }\n",
        ]
        let joined = ModuleJoin.bytes(of: "a.js", among: modules.mapValues { Array($0.utf8) })
        #expect(
            String(decoding: joined, as: UTF8.self).split(separator: "\n") == [
                "/** \"./no.js\" */", "class c {}", "async function d() { return \"import { x }\"; }",
                "function b() {}",
                "const a = b + c;", "export { a };",
            ])
    }

    @Test func `compaction takes comments and spaces, and nothing else`() {
        let source = #"""
            // A comment.
            /** Another: "not a string" */
            const a = "b  // c /* d */ \" e";   // f

            function g(h, i) {
              const j = `k ${ h ? `l  m ${ i + 1 }` : "}" }  // n`;
              return /[/"'`] \/ o/.test(j) ? h / i / 2 : h + +i - -i; /* p */
            }
            if (a in g) throw new Error('q   r');
            """#
        let compact = String(decoding: ModuleCompaction.compact(Array(source.utf8)), as: UTF8.self)
        #expect(
            compact == #"""
                const a="b  // c /* d */ \" e";
                function g(h,i){
                const j=`k ${h?`l  m ${i+1}`:"}"}  // n`;
                return /[/"'`] \/ o/.test(j)?h / i / 2:h+ +i- -i;
                }
                if(a in g)throw new Error('q   r');
                """#)
    }
}
