internal import Glibc

/// The target that libFuzzer calls, from the environment: `WATCHWISE_FUZZ_TARGET=JSON`.
private enum Chosen {
    /// libFuzzer uses a single thread.
    nonisolated(unsafe) static var target: any FuzzTarget = chosen()

    private static func chosen() -> any FuzzTarget {
        let name = unsafe getenv("WATCHWISE_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
        guard let type = allFuzzTargets.first(where: { $0.name == name }) else {
            print("WATCHWISE_FUZZ_TARGET must be one of:", allFuzzTargets.map { $0.name }.joined(separator: " "))
            exit(64)
        }
        do {
            return try type.init()
        } catch {
            print("\(name) cannot begin: \(error)")
            exit(70)
        }
    }
}

/// One input of libFuzzer. A broken property prints the finding and ends the process, as a trap does.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        unsafe try Chosen.target.check(input)
    } catch {
        // In an optimised build a trap does not print its reason.
        print("Finding: \(error)")
        fflush(nil)
        abort()
    }
    return 0
}
