import COpenSSL
import Files
import Glibc

/// A certificate chain and its private key, read and checked.
/// - Confinement: any
@safe
struct ServerIdentity: ~Copyable {
    private let certificatePath: String
    private let keyPath: String
    /// The server's own certificate first.
    private let chain: [OpaquePointer]
    private let key: OpaquePointer
    /// Whether others than the owner and the group may read the key.
    let isKeyOpenToOthers: Bool

    /// Reads the files; the key must be that of the first certificate.
    init(certificatePath: String, keyPath: String) throws(TLSContextError) {
        let certificateText = try ServerIdentity.read(certificatePath)
        let keyText = try ServerIdentity.read(keyPath)
        let pair = try unsafe ServerIdentity.pair(certificateText.bytes, keyText.bytes, certificatePath, keyPath)
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        isKeyOpenToOthers = keyText.mode & 0o007 != 0
        unsafe chain = pair.chain
        unsafe key = pair.key
    }

    /// Chain and key, if they belong together.
    @unsafe
    private static func pair(
        _ certificateText: [UInt8],
        _ keyText: [UInt8],
        _ certificatePath: String,
        _ keyPath: String
    ) throws(TLSContextError) -> (chain: [OpaquePointer], key: OpaquePointer) {
        let chain: [OpaquePointer]
        do {
            unsafe chain = try PEM.certificates(certificateText)
        } catch {
            throw refusal(of: error, certificatePath, keyPath)
        }
        do {
            let key = try unsafe PEM.privateKey(keyText)
            ERR_clear_error()
            if unsafe X509_check_private_key(chain.first, key) == 1 { return unsafe (chain, key) }
            ERR_clear_error()
            unsafe free(chain)
            unsafe EVP_PKEY_free(key)
        } catch {
            unsafe free(chain)
            throw refusal(of: error, certificatePath, keyPath)
        }
        throw .keyDoesNotMatch(certificatePath: certificatePath, keyPath: keyPath)
    }

    deinit {
        unsafe ServerIdentity.free(chain)
        unsafe EVP_PKEY_free(key)
    }

    /// When the server's certificate ends, in seconds since 1970.
    var expiresSeconds: Int64? {
        var time = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(X509_get0_notAfter(chain.first), &time) == 1 else { return nil }
        return unsafe Int64(timegm(&time))
    }

    /// Gives certificate, chain and key to a context, which holds them from then on.
    func install(on context: TLSContext) throws(TLSContextError) {
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate(context.handle, chain.first) == 1 else {
            throw .certificateRefused(path: certificatePath, reason: TLSError.take().reason)
        }
        for number in unsafe chain.indices.dropFirst() {
            let certificate = unsafe UnsafeMutableRawPointer(chain[number])
            guard unsafe SSL_CTX_ctrl(context.handle, SSL_CTRL_CHAIN_CERT, 1, certificate) == 1 else {
                throw .certificateRefused(path: certificatePath, reason: TLSError.take().reason)
            }
        }
        guard unsafe SSL_CTX_use_PrivateKey(context.handle, key) == 1 else {
            throw .keyInvalid(path: keyPath, reason: TLSError.take().reason)
        }
    }

    private static func read(_ path: String) throws(TLSContextError) -> ReadableFile.Contents {
        do {
            return try ReadableFile(path: path).read(bytesMax: PEM.bytesMax)
        } catch {
            throw .file(error)
        }
    }

    private static func refusal(
        of problem: PEM.Problem,
        _ certificatePath: String,
        _ keyPath: String
    ) -> TLSContextError {
        switch problem {
        case .certificate(let number, let error):
            .certificateInvalid(path: certificatePath, number: number, reason: error.reason)
        case .key(let error): .keyInvalid(path: keyPath, reason: error.reason)
        case .keyEncrypted: .keyEncrypted(path: keyPath)
        }
    }

    @unsafe
    private static func free(_ chain: [OpaquePointer]) {
        unsafe chain.forEach { unsafe X509_free($0) }
    }
}
