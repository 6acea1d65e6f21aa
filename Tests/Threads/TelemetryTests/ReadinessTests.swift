import Model
import Store
import Testing
@testable import Telemetry

/// The answers of `/readyz`.
struct ReadinessTests {
    @Test(
        arguments: [
            (false, nil, nil, nil), (false, nil, 0, nil), (false, nil, 4999, nil),
            (false, nil, 7300, "writes wait: the disk has not answered for 7 s"),
            (false, .diskFull, nil, "writes are refused: the disk is full"),
            (false, .unreadable, nil, "writes are refused: the database could not be read; it is being checked"),
            (false, .damaged, 9000, "writes are refused: the database is damaged"),
            (true, .diskFull, 9000, "draining"), (true, nil, nil, "draining"),
        ] as [(Bool, StorageFault?, Int64?, String?)])
    func `readiness names the drain first, then the disk's fault, then a commit that does not end`(
        _ isDraining: Bool, _ fault: StorageFault?, _ commitMilliseconds: Int64?, _ problem: String?
    ) {
        let readiness = Readiness(isDraining: isDraining, fault: fault, commitMilliseconds: commitMilliseconds)
        #expect(readiness.problem == problem)
        #expect(readiness.status == (problem == nil ? 200 : 503))
        #expect(readiness.text == (problem ?? "ready") + "\n")
    }

    @Test func `health keeps the fault, and for how long a commit has been under way`() throws {
        let health = StorageHealth()
        #expect(health.fault == nil)
        #expect(health.commitMilliseconds == nil)
        for fault in StorageFault.allCases {
            health.set(fault)
            #expect(health.fault == fault)
        }
        health.set(nil)
        #expect(health.fault == nil)
        try health.duringCommit {
            let now = try #require(health.commitMilliseconds)
            #expect((0..<1000).contains(now))
        }
        #expect(health.commitMilliseconds == nil)
    }
}
