import Authentication
import Configuration
import EventLoop
import JSON
import Model
import Outbound
import Telemetry
import ThreadMessages

/// The questions of a standby to its primary.
///
/// - Confinement: loop
final class PrimaryCalls {
    /// The answer to a question for entries.
    ///
    /// - Confinement: any
    enum Answer {
        case page(StandbyPage)
        case gone
        /// It says that it cannot be followed.
        case foreign(String)
        /// It answers, and knows no standby: a wrong token, another server.
        case refused(String)
        /// It does not answer, or asks for patience.
        case failed(String)
    }

    /// The answer to the demand that it commits nothing more.
    ///
    /// - Confinement: any
    enum Handover: Hashable {
        case accepted
        case refused(String)
        case unreachable(String)
    }

    private static let connectMilliseconds = 2000
    private static let totalMilliseconds = 10_000
    private static let answerBytesMax = 512 << 20

    let address: String
    private let secret: ServerSecret
    private let clock: WallClock
    private let client: OutboundClient

    /// - Throws: ``OutboundFailure``.
    init(
        _ address: String, secret: ServerSecret, _ configuration: ServerConfiguration, on loop: Loop
    ) throws(OutboundFailure) {
        self.address = address
        self.secret = secret
        clock = configuration.clock
        client = try OutboundClient(on: loop, policy: .anywhere, authorities: configuration.outboundAuthorities)
    }

    func close() { client.close() }

    /// Asks for entries.
    func ask(_ question: StandbyQuestion, _ done: @escaping (Answer) -> Void) {
        client.send(request(.get, "/entries?" + question.query)) { done(Self.answer($0)) }
    }

    /// Asks the primary to commit nothing more.
    func handOver(_ done: @escaping (Handover) -> Void) {
        client.send(request(.post([]), "/handover")) { result in
            switch result {
            case .success(let answer) where answer.status == 202: done(.accepted)
            case .success(let answer): done(.refused(Self.text(answer)))
            case .failure(let failure): done(.unreachable("\(failure)"))
            }
        }
    }

    /// Asks which role a server has; nil when it does not say.
    func role(_ done: @escaping (String?) -> Void) {
        client.send(request(.get, "")) { result in
            guard case .success(let answer) = result else { return done(nil) }
            done((try? JSONValue(parsing: answer.body))?["role"]?.stringValue)
        }
    }

    private static func answer(_ result: Result<OutboundAnswer, OutboundFailure>) -> Answer {
        switch result {
        case .success(let answer):
            switch answer.status {
            case 200: StandbyPage(answer.body).map(Answer.page) ?? .failed("the answer is no page of entries")
            case 410: .gone
            case 409: .foreign(text(answer))
            case 401:
                .refused(
                    "it does not know this server's token: the file 'secret' must be the same on both, and the clocks of "
                        + "both must agree")
            case 403:
                .refused(
                    "it does not know tokens of standbys: its program is older, and a new one goes onto the primary first"
                )
            case 404: .refused(text(answer))
            default: .failed("status \(answer.status): \(text(answer))")
            }
        case .failure(let failure): .failed("\(failure)")
        }
    }

    /// The sentence of an answer, which is one line or a problem document.
    private static func text(_ answer: OutboundAnswer) -> String {
        if let detail = (try? JSONValue(parsing: answer.body))?["detail"]?.stringValue { return detail }
        return String(decoding: answer.body.prefix(500), as: UTF8.self).split(separator: "\n").joined(separator: " ")
    }

    private func request(_ method: OutboundRequest.Method, _ path: String) -> OutboundRequest {
        OutboundRequest(
            method, url: "\(address)/v1/standby\(path)",
            fields: OutboundRequest.fields(of: .standby, as: "standby", secret, at: clock.now()),
            connectMilliseconds: Self.connectMilliseconds, totalMilliseconds: Self.totalMilliseconds,
            answerBytesMax: Self.answerBytesMax)
    }
}

@available(*, unavailable)
extension PrimaryCalls: Sendable {}
