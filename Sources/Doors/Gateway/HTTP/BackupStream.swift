import Authentication
import ClientProtocol
import EventLoop
import Services
import ThreadMessages
import Wire

/// A copy of the database, or of what is kept about a user, on its way to a client: the next piece is asked for when the socket has taken the last.
///
/// - Confinement: loop
final class BackupStream {
    /// The state of the request after a piece of the copy.
    enum Step {
        case goesOn
        /// The client has everything.
        case ended
        /// The client must not take it for a copy.
        case broken
        /// Nothing was sent.
        case refused(Refusal)
    }

    /// Of the token that asked: a copy is not finished for a token that is no longer good.
    let claims: Claims
    private let address: ConnectionAddress
    private let tcp: TCPConnection
    private let mailbox: Mailbox<BackupMessage>
    /// Whether the body comes in chunks; without them the connection's end is the body's.
    let isChunked: Bool
    private let sharing: HTTPHeaders
    private let data: CopiedData
    private let wish = BackupWish()
    /// Whether the head is out.
    private var isBegun = false
    /// Whether the socket must drain before the next piece is asked for.
    private var waitsForSocket = false

    /// Asks for a copy.
    ///
    /// - Parameter sharing: what the answer says to a page of another origin.
    init(
        _ data: CopiedData, _ claims: Claims, for address: ConnectionAddress, on tcp: TCPConnection,
        version: HTTPVersion, sharing: HTTPHeaders, from mailbox: Mailbox<BackupMessage>
    ) {
        self.data = data
        self.claims = claims
        self.address = address
        self.tcp = tcp
        self.mailbox = mailbox
        isChunked = version != .http10
        self.sharing = sharing
        mailbox.post(.begin(address, data, wish))
    }

    /// A piece of the copy has come, or what became of it.
    func received(_ news: BackupNews) -> Step {
        switch news {
        case .refused(let refusal): return .refused(refusal)
        case .failed:
            // Without a last chunk.
            end()
            return .broken
        case .piece(let bytes?):
            do {
                if !isBegun { tcp.write(try head()) }
            } catch {
                end()
                return .broken
            }
            isBegun = true
            var piece: [UInt8] = []
            if isChunked { HTTPChunk.append(bytes, to: &piece) } else { piece = bytes }
            tcp.write(piece)
            goOn()
            return .goesOn
        case .piece(nil):
            if isChunked { tcp.write(HTTPChunk.last) }
            end()
            return .ended
        }
    }

    /// The socket takes more again.
    func drained() {
        if waitsForSocket { goOn() }
    }

    /// Asks for the next piece, or waits for the socket.
    private func goOn() {
        guard isBegun else { return }
        waitsForSocket = tcp.isCongested
        if !waitsForSocket { mailbox.post(.next(address)) }
    }

    /// The client is gone, or has everything.
    func end() {
        wish.end()
        mailbox.post(.end(address))
    }

    private func head() throws -> [UInt8] {
        let (type, file) =
            switch data {
            case .database: ("application/vnd.sqlite3", "watchwise.db")
            case .user: ("application/x-ndjson", "export.jsonl")
            }
        var headers: HTTPHeaders = [
            "Content-Type": type, "Cache-Control": "no-store",
            "Content-Disposition": "attachment; filename=\"\(file)\"",
        ]
        for field in sharing.fields { headers.append(field.name, field.value) }
        return try HTTPResponse.streamHead(headers: headers, version: isChunked ? .http11 : .http10)
    }
}

@available(*, unavailable)
extension BackupStream: Sendable {}
