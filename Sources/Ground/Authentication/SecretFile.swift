import Crypto
import Digits
import Files

/// A secret that is one line of a private file.
/// - Confinement: any
protocol SecretLine {
    /// The file's usual name.
    static var fileName: String { get }
    /// The form of the lines, for the operator; it follows "one or two lines of".
    static var form: String { get }
    /// Reads a line without its end.
    /// - Returns: nil when it has another form.
    init?(line: String)
    /// Makes a new secret.
    init() throws(ServerSecretError)
    /// The line without its end.
    var line: String { get }
}

/// A file of secrets that only its owner can read, one a line, the newest first: the present secret, and during a
/// rotation also the last one.
/// - Confinement: any; blocks on the disk
struct SecretFile<Secret: SecretLine> {
    private static var secretsMax: Int { 2 }
    private static var bytesMax: Int { 1024 }

    let path: String

    /// Reads a file's content.
    /// - Returns: the newest first, at least one; nil when there is no secret, or too many, or a line is not valid.
    static func secrets(in text: [UInt8]) -> [Secret]? {
        let lines = ByteOrderMark.skipped(in: text).split(separator: UInt8(ascii: "\n"))
            .map { String(decoding: $0, as: UTF8.self) }
        guard (1...secretsMax).contains(lines.count) else { return nil }
        let secrets = lines.compactMap(Secret.init(line:))
        return secrets.count == lines.count ? secrets : nil
    }

    /// The content of a file with these secrets.
    static func text(of secrets: [Secret]) -> [UInt8] {
        secrets.flatMap { Array($0.line.utf8) + [UInt8(ascii: "\n")] }
    }

    /// Loads the secrets.
    /// - Returns: nil when there is no file.
    /// - Throws: when others can read the file, or its content is not valid.
    func load() throws(ServerSecretError) -> [Secret]? {
        let contents: [UInt8]?
        do {
            contents = try PrivateFile(path: path).read(bytesMax: Self.bytesMax)
        } catch {
            throw .file(error.description)
        }
        guard let contents else { return nil }
        guard let secrets = Self.secrets(in: contents) else {
            throw .file("\(path) must hold one or two lines of \(Secret.form), the newest first")
        }
        return secrets
    }

    /// Loads the secrets, or makes a file with a new one; two processes that do so at once get the same.
    func loadOrCreate() throws(ServerSecretError) -> [Secret] {
        if let secrets = try load() { return secrets }
        let secrets = [try Secret()]
        let name = try temporaryName()
        do {
            if try PrivateFile(path: path).create(Self.text(of: secrets), temporaryName: name) { return secrets }
        } catch {
            throw .file(error.description)
        }
        guard let other = try load() else { throw .file("\(path) was made and removed by somebody else") }
        return other
    }

    /// Puts a new secret before the present one; an older one is removed.
    func rotate() throws(ServerSecretError) -> [Secret] {
        let kept = try loadOrCreate().prefix(Self.secretsMax - 1)
        return try replace(with: [try Secret()] + kept)
    }

    /// Ends a rotation: only the newest secret is left.
    func retire() throws(ServerSecretError) -> [Secret] {
        try replace(with: Array(try loadOrCreate().prefix(1)))
    }

    private func replace(with secrets: [Secret]) throws(ServerSecretError) -> [Secret] {
        let name = try temporaryName()
        do {
            try PrivateFile(path: path).replace(Self.text(of: secrets), temporaryName: name)
        } catch {
            throw .file(error.description)
        }
        return secrets
    }

    private func temporaryName() throws(ServerSecretError) -> String {
        ".\(Secret.fileName)." + Base64.url.text(of: try SecureRandom.secret(12))
    }
}

extension SecureRandom {
    /// Random bytes for a secret of the server.
    static func secret(_ count: Int) throws(ServerSecretError) -> [UInt8] {
        do {
            return try bytes(count)
        } catch {
            throw .noRandomness(reason: error.description)
        }
    }
}
