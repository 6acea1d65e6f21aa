import Allocation
import Foundation
import TestSupport
import Testing

struct AllocatorTests {
    @Test func `the version is one of jemalloc`() {
        #expect(Allocator.version.wholeMatch(of: /5\.[0-9]+\.[0-9]+/) != nil, "\(Allocator.version)")
    }

    @Test(.enabled(if: unsafe getenv("WATCHWISE_SANITIZER") == nil, "a sanitizer takes memory of its own"))
    func `memory that threads have freed goes back to the kernel while they rest`() async throws {
        await #expect(processExitsWith: .success) {
            Allocator.startReturningMemory()
            let before = try ResidentMemory.bytes() >> 20
            let threads = (0..<4).map { _ in
                Thread {
                    var blocks = (0..<20_000).map { [UInt8](repeating: 1, count: 1_000 + $0 % 24) }
                    blocks.removeAll()
                    Thread.sleep(forTimeInterval: 600)
                }
            }
            for thread in threads { thread.start() }
            var largest = before
            for _ in 0..<600 where largest < before + 16 {
                try await Task.sleep(for: .milliseconds(10))
                largest = max(largest, try ResidentMemory.bytes() >> 20)
            }
            guard largest >= before + 16 else { fatalError("\(before) MiB became \(largest) MiB") }
            var after = largest
            for _ in 0..<120 where after > before + 8 {
                try await Task.sleep(for: .milliseconds(500))
                after = try ResidentMemory.bytes() >> 20
            }
            guard after <= before + 8 else {
                fatalError("before \(before) MiB, largest \(largest) MiB, after \(after) MiB")
            }
        }
    }
}
