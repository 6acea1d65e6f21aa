import Testing

@testable import Cluster

struct SealTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static var seal: JournalSeal { JournalSeal(JournalKeys([key]), schema: JournalSeal.schema) }
    private static let entry = Array("WW and the rest of an entry".utf8)

    @Test func `an entry opens at its place, and names the entry before it`() {
        let sealed = Self.seal.seal(entry: Self.entry, after: 11, previous: 9)
        #expect(sealed.count == Self.entry.count + JournalSeal.headBytes)
        #expect(Self.seal.open(entry: sealed, at: 12) == .sealed(Self.entry, previous: 9))
        #expect(Self.seal.open(entry: sealed, at: 13) == .foreign, "somebody has put it there again")
        #expect(Self.seal.open(entry: sealed, at: 11) == .foreign)
        let far = Self.seal.seal(entry: Self.entry, after: .max - 1, previous: .max - 2)
        #expect(Self.seal.open(entry: far, at: .max) == .sealed(Self.entry, previous: .max - 2))
    }

    @Test func `no byte of a sealed message can be another one`() {
        let entry = Self.seal.seal(entry: Self.entry, after: 11, previous: 9)
        for place in entry.indices {
            var changed = entry
            changed[place] ^= 1
            #expect(Self.seal.open(entry: changed, at: 12) == .foreign, "byte \(place)")
        }
        for count in entry.indices { #expect(Self.seal.open(entry: Array(entry.prefix(count)), at: 12) == .foreign) }
        #expect(Self.seal.open(entry: entry + [0], at: 12) == .foreign)
        let signal = Self.seal.seal(signal: [1, 2, 3], to: "heartbeat")
        for place in signal.indices {
            var changed = signal
            changed[place] ^= 1
            #expect(!Self.seal.open(signal: changed, from: "heartbeat").isOurs, "byte \(place)")
        }
        for count in signal.indices {
            #expect(!Self.seal.open(signal: Array(signal.prefix(count)), from: "heartbeat").isOurs)
        }
    }

    @Test func `a signal opens on its subject alone`() {
        let sealed = Self.seal.seal(signal: [1, 2, 3], to: "refused.a")
        #expect(Self.seal.open(signal: sealed, from: "refused.a") == ([1, 2, 3], true))
        #expect(Self.seal.open(signal: sealed, from: "refused.b") == ([1, 2, 3], false))
        #expect(Self.seal.open(signal: Self.seal.seal(signal: [], to: "x"), from: "x") == ([], true))
    }

    @Test func `a message without a code, or with that of another secret, is foreign`() {
        let other = JournalSeal(JournalKeys([[1]]), schema: JournalSeal.schema)
        #expect(Self.seal.open(entry: Self.entry, at: 1) == .foreign)
        #expect(Self.seal.open(entry: [], at: 1) == .foreign)
        #expect(Self.seal.open(entry: Array("hello".utf8), at: 1) == .foreign)
        #expect(other.open(entry: Self.seal.seal(entry: Self.entry, after: 0, previous: 0), at: 1) == .foreign)
        #expect(Self.seal.open(signal: [1, 2], from: "x") == ([1, 2], false))
        #expect(!other.open(signal: Self.seal.seal(signal: [1], to: "x"), from: "x").isOurs)
    }

    @Test func `while the secret turns, the older one signs until every node knows the newer one`() {
        let (old, new) = (Self.key, [UInt8](repeating: 8, count: 32))
        let before = JournalSeal(JournalKeys([old]), schema: JournalSeal.schema)
        let between = JournalSeal(JournalKeys([new, old]), schema: JournalSeal.schema)
        let after = JournalSeal(JournalKeys([new]), schema: JournalSeal.schema)
        func hears(_ one: JournalSeal, _ other: JournalSeal) -> Bool {
            let (entry, signal) = (other.seal(entry: [1], after: 4, previous: 4), other.seal(signal: [2], to: "x"))
            return one.open(entry: entry, at: 5) == .sealed([1], previous: 4)
                && one.open(signal: signal, from: "x") == ([2], true)
        }
        #expect(hears(before, between) && hears(between, before))
        #expect(
            hears(between, after) && hears(after, between) == false,
            "a node keeps the old one until all know the new one")
        #expect(!hears(before, after))
    }

    @Test func `a node with older tables speaks and hears as older programs do, and hears the others, too`() {
        let older = JournalSeal(JournalKeys([Self.key]), schema: JournalSeal.schema - 1)
        #expect(older.seal(entry: Self.entry, after: 3, previous: 3) == Self.entry)
        #expect(older.seal(signal: [1], to: "x") == [1])
        #expect(older.open(entry: Self.entry, at: 4) == .unsealed(Self.entry))
        #expect(older.open(signal: [1, 2], from: "x") == ([1, 2], true))
        #expect(
            older.open(entry: Self.seal.seal(entry: Self.entry, after: 3, previous: 3), at: 4)
                == .sealed(Self.entry, previous: 3))
        #expect(older.open(signal: Self.seal.seal(signal: [1], to: "x"), from: "x") == ([1], true))
    }
}
