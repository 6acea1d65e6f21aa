import Model
import Wire

/// A PROXY header and `X-Forwarded-For`: the result does not depend on how bytes were cut, and an address that was read
/// is written and read again as the same.
struct ProxyHeaderFuzz: FuzzTarget {
    static let name = "ProxyHeader"

    private enum Outcome: Equatable {
        case header(ProxyHeader, at: Int)
        case incomplete
        case violation
    }

    init() {}

    func check(_ input: [UInt8]) throws {
        let whole = outcome([input])
        for pieces in Cuts.of(input) { try expect(outcome(pieces), equals: whole, "cut") }
        if case .header(.client(let address), _) = whole { try checkRoundTrip(address) }
        for line in lines(input, atMost: 4) {
            if let address = IPAddress(line) { try checkRoundTrip(address) }
            _ = AddressRanges([line])
            let client = ForwardedFor.client(
                of: IPAddress(v4: 1), ["X-Forwarded-For": line], trusted: AddressRanges(["::/0"]) ?? .loopback)
            try checkRoundTrip(client)
        }
    }

    private func checkRoundTrip(_ address: IPAddress) throws {
        try expect(IPAddress(address.description), equals: address, "written as \(address)")
        try expect(address.network.network, equals: address.network, "network of \(address)")
    }

    private func outcome(_ pieces: [[UInt8]]) -> Outcome {
        var reader = ProxyHeaderReader()
        var taken = 0
        for piece in pieces {
            var offset = 0
            do {
                let header = try piece.withRawSpan { (span) throws(ProxyHeaderReader.Violation) in
                    try reader.next(span, at: &offset)
                }
                taken += offset
                if let header { return .header(header, at: taken) }
            } catch {
                return .violation
            }
        }
        return .incomplete
    }
}
