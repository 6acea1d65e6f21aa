import ClientProtocol
import EventLoop
import Feeds
internal import Foundation
package import JSON
import Model
import Outbound
import Services

extension ServerConfiguration {
    /// Sets what a key stands for.
    ///
    /// - Parameter place: where the value stands, for people.
    /// - Throws: ``ConfigurationProblem`` when the value is not what the key wants.
    package mutating func set(_ key: ConfigurationKey, _ value: JSONValue, place: String) throws(ConfigurationProblem) {
        if key == .rules, let table = value.objectValue {
            do {
                rules = try AccessRules(table)
            } catch {
                let row = error.field.map { ", '\($0)'" } ?? ""
                throw ConfigurationProblem(place: place + row, message: error.message)
            }
            return
        }
        if key == .preferences, let object = value.objectValue {
            do {
                preferences = try DefaultPreferences(object)
            } catch {
                let member = error.field.map { ", '\($0)'" } ?? ""
                throw ConfigurationProblem(place: place + member, message: error.message)
            }
            return
        }
        if key == .feeds {
            do {
                feeds = try FeedConfiguration.list(value, environment: ProcessInfo.processInfo.environment)
            } catch {
                // The value is not shown: there may be a key in it.
                let row = error.field.isEmpty ? "" : ", '\(error.field)'"
                throw ConfigurationProblem(place: place + row, message: error.message)
            }
            return
        }
        guard take(key, value) else {
            throw ConfigurationProblem(place: place, message: "\(key.wanted), not \(Self.shown(value))")
        }
    }

    /// False when the value is not what the key wants.
    private mutating func take(_ key: ConfigurationKey, _ value: JSONValue) -> Bool {
        switch key {
        case .listen: takeListen(value)
        case .data: take(path(value), into: \.data)
        case .tlsCertificate: take(path(value), into: \.tlsCertificate)
        case .tlsKey: take(path(value), into: \.tlsKey)
        case .loops: take(number(value, in: 1...ConfigurationKey.loopsMax).map { Int($0) }, into: \.loops)
        case .heartbeat: take(number(value, in: ConfigurationKey.heartbeats), into: \.heartbeatMilliseconds)
        case .logRetention: take(retention(value), into: \.logRetention)
        case .stopTimeout: take(stopTime(value), into: \.stopMilliseconds)
        case .compression: take(value.stringValue.flatMap(CompressionMode.init), into: \.compression)
        case .logLevel:
            take(ConfigurationKey.logLevels.first { "\($0)" == value.stringValue }, into: \.logLevel)
        case .debugEcho: take(value.boolValue, into: \.hasEcho)
        case .collections: takeCollections(value)
        case .rules, .feeds, .preferences: false
        case .triggers: take(list(value) { $0.stringValue.flatMap(TriggerSource.init) }, into: \.triggers)
        case .issuers: take(issuers(value), into: \.issuers)
        case .firebaseProject:
            take(list(value) { $0.stringValue.flatMap(IssuerConfiguration.init(firebaseProject:)) }, into: \.firebase)
        case .outboundAllow: take(texts(value).flatMap(AddressRanges.init), into: \.outboundAllow)
        case .outboundAuthorities: take(path(value), into: \.outboundAuthorities)
        case .webhookAllow: take(texts(value).flatMap(AddressRanges.init), into: \.webhooks.allow)
        case .webhookPlain: take(value.boolValue, into: \.webhooks.mayBePlain)
        case .webhookSource:
            take(value.stringValue.flatMap { WebhookConfiguration.isSource($0) ? $0 : nil }, into: \.webhooks.source)
        case .webhookSecret: take(path(value), into: \.webhooks.secretPath)
        case .trustedProxies: take(texts(value).flatMap(AddressRanges.init), into: \.trustedProxies)
        case .proxyProtocol: take(value.boolValue, into: \.hasProxyProtocol)
        case .connectionsPerAddress:
            take(number(value, in: ConfigurationKey.connections).map { Int($0) }, into: \.connectionsPerAddress)
        case .connectionsPerUser:
            take(number(value, in: ConfigurationKey.connections).map { Int($0) }, into: \.connectionsPerUser)
        case .peerMemory:
            take(number(value, in: ConfigurationKey.peerMemories).map { Int($0) << 20 }, into: \.peerMemoryBytes)
        case .writeLimit:
            take(number(value, in: ConfigurationKey.peerMemories).map { Int($0) << 20 }, into: \.writeBytesAnHour)
        case .origins: take(texts(value).flatMap(AllowedOrigins.init), into: \.origins)
        }
    }

    private mutating func take<Value>(
        _ value: Value?, into place: WritableKeyPath<ServerConfiguration, Value>
    ) -> Bool {
        guard let value else { return false }
        self[keyPath: place] = value
        return true
    }

    private mutating func take<Value>(
        _ value: Value?, into place: WritableKeyPath<ServerConfiguration, Value?>
    ) -> Bool {
        guard let value else { return false }
        self[keyPath: place] = value
        return true
    }

    private func path(_ value: JSONValue) -> String? {
        value.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func retention(_ value: JSONValue) -> LogRetentionTime? {
        LogRetentionTime(value.stringValue ?? (value.integerValue == 0 ? "0" : ""))
    }

    private func stopTime(_ value: JSONValue) -> Int64? {
        let seconds = value.integerValue ?? value.stringValue.flatMap { Int64($0) }
        let span = value.stringValue.flatMap { TimeSpan($0)?.milliseconds }
        let milliseconds = span ?? seconds.flatMap { (0...3600).contains($0) ? $0 * 1000 : nil }
        return milliseconds.flatMap { ConfigurationKey.stopTimeouts.contains($0) ? $0 : nil }
    }

    private func number(_ value: JSONValue, in range: ClosedRange<Int64>) -> Int64? {
        value.integerValue.flatMap { range.contains($0) ? $0 : nil }
    }

    /// A text, or a list of texts; nil when it is neither.
    private func texts(_ value: JSONValue) -> [String]? {
        let texts = (value.arrayValue ?? [value]).compactMap(\.stringValue)
        return texts.count == value.arrayValue?.count ?? 1 ? texts : nil
    }

    /// One thing or a list of such; nil when one cannot be read.
    private func list<Element>(_ value: JSONValue, _ read: (JSONValue) -> Element?) -> [Element]? {
        let values = value.arrayValue ?? [value]
        let found = values.compactMap(read)
        return found.count == values.count ? found : nil
    }

    private func issuers(_ value: JSONValue) -> [IssuerConfiguration]? {
        guard let issuers = list(value, { $0.objectValue.flatMap(IssuerConfiguration.init) }),
            Set(issuers.map(\.name)).count == issuers.count
        else { return nil }
        return issuers
    }

    private mutating func takeListen(_ value: JSONValue) -> Bool {
        guard let texts = texts(value), !texts.isEmpty else { return false }
        for text in texts where (try? SocketAddress(text)) == nil { return false }
        listen = texts
        return true
    }

    private mutating func takeCollections(_ value: JSONValue) -> Bool {
        guard let object = value.objectValue else { return false }
        var plurals: [String: String] = [:]
        for (kind, plural) in object.members {
            guard Topic(kind: kind, id: "x") != nil, let name = plural.stringValue, !name.contains("/"),
                (try? DocumentPath(name + "/x")) != nil, !plurals.values.contains(name)
            else { return false }
            plurals[kind] = name
        }
        collections = TopicCollections(configured: plurals)
        return true
    }

    /// A value as it stands in a message: short, and in quotes when it was a text.
    private static func shown(_ value: JSONValue) -> String {
        if case .array(let values) = value, values.count == 1, let only = values.first { return shown(only) }
        let text = value.stringValue.map { "'\($0)'" } ?? value.text
        return text.count > 80 ? text.prefix(79) + "…" : text
    }
}
