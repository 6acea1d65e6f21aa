package import Configuration
package import EventLoop
import Model
import Outbound

/// The HTTP clients of pushes. Each belongs to one kind of host, because a client shares out its connections by itself.
///
/// - Confinement: loop
package struct PushClients {
    /// For Web Push, UnifiedPush and access tokens: many hosts, as devices and settings name them.
    let web: OutboundClient
    /// For Apple's two services: one connection each, which carries a hundred requests at once.
    let apns: [APNsEnvironment: OutboundClient]
    let fcm: OutboundClient

    /// Makes the clients of the calling thread's loop. The caller must close them.
    package init(_ configuration: PushConfiguration, authorities: String?, on loop: Loop) throws {
        let policy = AddressPolicy(allowing: configuration.allow)
        var made: [OutboundClient] = []
        func make(_ connections: OutboundClient.Connections) throws -> OutboundClient {
            let client = try OutboundClient(
                on: loop, policy: policy, authorities: authorities, connections: connections)
            made.append(client)
            return client
        }
        do {
            web = try make(.asNeeded)
            apns = [.production: try make(.onePerHost), .sandbox: try make(.onePerHost)]
            fcm = try make(.onePerHost)
        } catch {
            for client in made { client.close() }
            throw error
        }
    }

    func client(of service: PushServiceName) -> OutboundClient {
        switch service {
        case .origin: web
        case .apns(let environment): apns[environment] ?? web
        case .fcm: fcm
        }
    }

    func close() {
        web.close()
        for client in apns.values { client.close() }
        fcm.close()
    }
}
