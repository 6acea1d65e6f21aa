import ArgumentParser
import Authentication
import Client
import EventLoop
import FoundationEssentials

/// The server to measure, and the source of tokens for it.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The server. (default: WATCHWISE_SERVER or http://127.0.0.1:8080)", valueName: "URL"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the certificates to trust for https. (default: WATCHWISE_CA, or those of the system)",
            valueName: "FILE"))
    var ca: String?

    @Flag(help: "Send the bots' tokens over plain http to another machine, where anybody on the way can read them.")
    var insecureHttp = false

    @Option(
        help: ArgumentHelp(
            "The data folder of a server on this machine, whose secret signs the bots' tokens.", valueName: "DIR"))
    var data = "./watchwise-data"

    @Option(help: ArgumentHelp("A copy of the secret instead, 64 hexadecimal digits.", valueName: "FILE"))
    var tokenSecret: String?

    /// Refuses an invalid address as bad usage.
    func validate() throws {
        _ = try address()
    }

    func address() throws -> ServerAddress {
        do {
            return try ServerAddress(
                server ?? Self.variable("WATCHWISE_SERVER") ?? "http://127.0.0.1:8080",
                authorities: ca ?? Self.variable("WATCHWISE_CA"))
        } catch {
            if case .authorities = error { throw ValidationError("--ca: \(error.description)") }
            throw ValidationError("\(server == nil ? "WATCHWISE_SERVER" : "--server"): \(error.description)")
        }
    }

    /// An environment variable; nil when it is absent or empty.
    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The maker of tokens for the bots.
    func mint() throws -> TokenMint {
        let address = try address()
        let isHere = address.socketAddress.isLoopback
        guard isHere || tokenSecret != nil else {
            throw ValidationError(
                "--data: its secret is for a server on this machine, and \(address) is another; give --token-secret")
        }
        guard isHere || address.encryption != nil || insecureHttp else {
            throw ValidationError(
                "--server: \(address) is plain http to another machine; use https, or --insecure-http")
        }
        if let tokenSecret {
            guard let contents = try? Data(contentsOf: URL(filePath: tokenSecret)) else {
                throw ValidationError("--token-secret: \(tokenSecret) cannot be read")
            }
            guard let secret = ServerSecret.signing(in: Array(contents)) else {
                throw ValidationError("--token-secret: \(tokenSecret) is not 64 hexadecimal digits")
            }
            return TokenMint(secret: secret)
        }
        do {
            guard let secret = try ServerSecret.load(fromFolder: data) else {
                throw ValidationError("--data: there is no secret in \(data); is it the folder of 'watchwise serve'?")
            }
            return TokenMint(secret: secret)
        } catch let error as ServerSecretError {
            throw ValidationError("--data: \(error.description)")
        }
    }
}
