import Cluster
import Counting

extension Benchmark {
    /// The codes of the journal: what a node adds to an entry, and what each other node does before it reads it.
    static let journal = [
        calling("sign-entry", of: "entry", "a node signs an entry of 1,000 bytes for the journal") {
            let seal = JournalSeal(JournalKeys([Array(repeating: 7, count: 32)]), schema: JournalSeal.schema)
            let entry = [UInt8](repeating: 0x61, count: 1000)
            return { Int(seal.seal(entry: entry, after: 41, previous: 41)[2]) + 1 }
        },
        calling("open-entry", of: "entry", "another node checks its code") {
            let seal = JournalSeal(JournalKeys([Array(repeating: 7, count: 32)]), schema: JournalSeal.schema)
            let message = seal.seal(entry: [UInt8](repeating: 0x61, count: 1000), after: 41, previous: 41)
            return {
                guard case .sealed(let entry, previous: 41) = seal.open(entry: message, at: 42) else { return 0 }
                return entry.count
            }
        },
    ]
}
