import Allocation
import Foundation
import Testing

struct AllocatorTests {
    @Test func `the version is one of jemalloc`() {
        #expect(Allocator.version.wholeMatch(of: /5\.[0-9]+\.[0-9]+/) != nil, "\(Allocator.version)")
    }

    @Test(.enabled(if: unsafe getenv("WATCHWISE_SANITIZER") == nil, "a sanitizer takes memory of its own"))
    func `memory that threads have freed goes back to the kernel while they rest`() async throws {
        await #expect(processExitsWith: .success) {
            Allocator.startReturningMemory()
            let before = try residentMebibytes()
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
                largest = max(largest, try residentMebibytes())
            }
            guard largest >= before + 16 else { fatalError("\(before) MiB became \(largest) MiB") }
            var after = largest
            for _ in 0..<120 where after > before + 8 {
                try await Task.sleep(for: .milliseconds(500))
                after = try residentMebibytes()
            }
            guard after <= before + 8 else {
                fatalError("before \(before) MiB, largest \(largest) MiB, after \(after) MiB")
            }
        }
    }
}

/// MiB of this process that are in the machine's memory (proc_pid_statm(5)).
private func residentMebibytes() throws -> Int {
    let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(numbers[1])) * 4096 / (1 << 20)
}
