import Authentication
import ClientProtocol
import EventLoop
import Mail
import Services
import Telemetry
import Wire

/// A copy of the database on its way to a client: the next piece is asked for when the socket has taken the last.
///
/// - Confinement: loop
struct BackupStream {
    /// Of the token that asked: a copy is not finished for one that is worth nothing any more.
    let claims: Claims
    let wish = BackupWish()
    /// Whether the head is out.
    var isBegun = false
    /// Whether the socket must drain before the next piece is asked for.
    var waitsForSocket = false
}

extension HTTPConversation {
    /// Asks for a copy.
    func beginBackup(_ claims: Claims) {
        let stream = BackupStream(claims: claims)
        backup = stream
        server.settings.mail.backups.post(.begin(connection.address, stream.wish))
    }

    /// Whether a token is neither over nor revoked.
    func isWorth(_ claims: Claims) -> Bool {
        guard claims.expiresAt > server.settings.clock.now() else { return false }
        do throws(Refusal) {
            try server.check(claims)
            return true
        } catch {
            return false
        }
    }

    /// A piece of the copy has come, or what became of it.
    func received(_ news: BackupNews, isChunked: Bool) {
        guard let stream = backup else { return }
        switch news {
        case .refused(let refusal):
            backup = nil
            respond(Problem(refusal).response)
        case .failed:
            // Without a last chunk: the client must not take it for a copy.
            endBackup()
            connection.tcp.close()
        case .piece(let bytes?):
            do {
                if !stream.isBegun { connection.tcp.write(try backupHead(isChunked: isChunked)) }
            } catch {
                endBackup()
                return connection.tcp.close()
            }
            backup?.isBegun = true
            var piece: [UInt8] = []
            if isChunked { HTTPChunk.append(bytes, to: &piece) } else { piece = bytes }
            connection.tcp.write(piece)
            goOnWithBackup()
        case .piece(nil):
            if isChunked { connection.tcp.write(HTTPChunk.last) }
            endBackup()
            responded(keepsAlive: isChunked)
        }
    }

    /// The socket may take more: asks for the next piece, or waits on.
    func goOnWithBackup() {
        guard backup?.isBegun == true else { return }
        backup?.waitsForSocket = connection.tcp.isCongested
        if !connection.tcp.isCongested { server.settings.mail.backups.post(.next(connection.address)) }
    }

    /// The client is gone, or has everything.
    func endBackup() {
        guard let stream = backup else { return }
        backup = nil
        stream.wish.end()
        server.settings.mail.backups.post(.end(connection.address))
    }

    private func backupHead(isChunked: Bool) throws -> [UInt8] {
        var headers: HTTPHeaders = [
            "Content-Type": "application/vnd.sqlite3", "Cache-Control": "no-store",
            "Content-Disposition": "attachment; filename=\"watchwise.db\"",
        ]
        for field in sharing.fields { headers.append(field.name, field.value) }
        return try HTTPResponse.streamHead(headers: headers, version: isChunked ? .http11 : .http10)
    }
}
