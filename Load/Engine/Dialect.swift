import ClientProtocol
import JSON
import Session

/// The protocol that a server speaks over its WebSocket.
enum Dialect: String, Sendable, CaseIterable {
    /// The contract of this project.
    case watchwise
    /// Paths `/echo`, `/sub` and `/pub`: messages on a `/pub` go to every `/sub`. The floor and small servers speak
    /// this.
    case plain
    /// The client protocol of NATS.
    case nats
    /// MQTT 3.1.1, quality of service 0.
    case mqtt

    /// The purpose of a connection.
    enum Role: Sendable {
        /// Gets its own messages back.
        case echo
        /// Gets the messages of publishers.
        case subscriber
        case publisher
    }

    static let topic = "fan"

    /// The path of the upgrade, and the subprotocol to ask for.
    func endpoint(_ role: Role) -> (path: String, subprotocol: String?) {
        switch self {
        case .watchwise: (role == .echo ? "/v1/echo" : "/v1/ws", nil)
        case .plain:
            switch role {
            case .echo: ("/echo", nil)
            case .subscriber: ("/sub", nil)
            case .publisher: ("/pub", nil)
            }
        case .nats: ("/", nil)
        case .mqtt: ("/mqtt", "mqtt")
        }
    }

    var isText: Bool { self == .watchwise || self == .plain }

    /// The first message; nil when a connection is ready without one.
    func greeting(_ role: Role, index: Int, token: String?) -> [UInt8]? {
        switch self {
        case .plain: return nil
        case .watchwise:
            return token.map {
                ClientCommand(HelloCommand.self, ["token": .string($0), "device": .string("load-\(index)")]).encoded(
                    id: 0)
            }
        case .nats:
            var text = "CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":true}\r\n"
            if role != .publisher { text += "SUB \(subject(role, index)) 1\r\n" }
            return Array((text + "PING\r\n").utf8)
        case .mqtt:
            let name = Array("load-\(role == .publisher ? "p" : "s")-\(index)".utf8)
            return Self.packet(0x10, [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 0] + Self.string(name))
        }
    }

    /// The next message after the server has answered the greeting with `ok`; nil when the connection is ready then.
    func second(_ role: Role, index: Int) -> [UInt8]? {
        guard self == .mqtt, role != .publisher else { return nil }
        return Self.packet(0x82, [0, 1] + Self.string(Array(subject(role, index).utf8)) + [0])
    }

    /// A message that brings `payload` to the receivers of the role.
    func publication(_ payload: [UInt8], _ role: Role, index: Int) -> [UInt8] {
        switch self {
        case .watchwise, .plain: return payload
        case .nats:
            return Array("PUB \(subject(role, index)) \(payload.count)\r\n".utf8) + payload + [13, 10]
        case .mqtt: return Self.packet(0x30, Self.string(Array(subject(role, index).utf8)) + payload)
        }
    }

    private func subject(_ role: Role, _ index: Int) -> String {
        role == .echo ? "echo\(self == .nats ? "." : "/")\(index)" : Self.topic
    }

    private static func string(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    private static func packet(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        var packet = [type]
        var length = body.count
        repeat {
            let more: UInt8 = length > 127 ? 0x80 : 0
            packet.append(UInt8(length & 0x7F) | more)
            length >>= 7
        } while length > 0
        return packet + body
    }
}
