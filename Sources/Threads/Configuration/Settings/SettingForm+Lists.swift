import JSON
import Model

extension SettingForm {
    /// A list of texts, or one text.
    fileprivate static func texts(
        wanted: String, show: (@Sendable (Value) -> String)? = nil,
        read: @escaping @Sendable ([String]) -> Value?
    ) -> SettingForm {
        SettingForm(
            wanted: wanted, isList: true, show: show,
            read: { value in
                let texts = (value.arrayValue ?? [value]).compactMap(\.stringValue)
                return texts.count == value.arrayValue?.count ?? 1 ? read(texts) : nil
            })
    }

    /// Every element of a list, or the one value that there is; nil when one of them cannot be read.
    fileprivate static func elements<Element>(
        of value: JSONValue, _ read: (JSONValue) -> Element?
    ) -> [Element]? {
        let values = value.arrayValue ?? [value]
        let found = values.compactMap(read)
        return found.count == values.count ? found : nil
    }
}

extension SettingForm<[String]> {
    /// Addresses of listeners, at least one; `localhost:8080` and `:8080` become addresses.
    static var listeners: SettingForm {
        .texts(
            wanted:
                "must be HOST:PORT with a numeric host, such as 127.0.0.1:8080 or [::]:8080, localhost:PORT, :PORT, or a list",
            show: { $0.joined(separator: ", ") },
            read: { texts in
                let addresses = texts.compactMap(ListenAddress.read)
                return addresses.isEmpty || addresses.count < texts.count ? nil : addresses
            })
    }

    /// Names of members of a document, each once.
    static var memberNames: SettingForm {
        .texts(
            wanted: "must be a word of a-z A-Z 0-9 _, such as name, or a list of at most 10 of these, each once",
            show: { $0.joined(separator: ", ") },
            read: { texts in
                let isSound = texts.allSatisfy { $0.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]{0,63}/) != nil }
                return isSound && texts.count <= 10 && Set(texts).count == texts.count ? texts : nil
            })
    }

    /// Names of apps, each once.
    static var bundleIDs: SettingForm {
        .texts(
            wanted: "must be the bundle id of an app, such as org.example.films, or a list of these, each once",
            read: { texts in
                let isSound = texts.allSatisfy(PushConfiguration.isBundleID) && Set(texts).count == texts.count
                return isSound ? texts : nil
            })
    }
}

extension SettingForm<AllowedOrigins> {
    static var origins: SettingForm {
        .texts(
            wanted: "must be SCHEME://HOST[:PORT], such as https://app.example.org, or *, or a list of these",
            read: AllowedOrigins.init)
    }
}

extension SettingForm<AddressRanges> {
    static var ranges: SettingForm {
        ranges(wanted: "must be a range of addresses, such as 10.0.0.0/8 or fd00::/8, or a list of these")
    }

    static var trustedProxies: SettingForm {
        ranges(wanted: "must be an address or a network, such as 10.0.0.0/8 or ::1, a list of these, or none")
    }

    private static func ranges(wanted: String) -> SettingForm {
        .texts(
            wanted: wanted, show: { $0.description.replacing(" ", with: ", ") }, read: { AddressRanges($0) })
    }
}

extension SettingForm<[TriggerSource]> {
    static var triggers: SettingForm {
        SettingForm(
            wanted:
                "must be a ready table (\(ReadyApplication.names)), the path of a file with rows, or a list of these",
            isList: true,
            paths: { paths, value in
                paths.each(value) { source in
                    guard case .file? = source.stringValue.flatMap(TriggerSource.init) else { return source }
                    return paths.path(source)
                }
            },
            read: { elements(of: $0) { $0.stringValue.flatMap(TriggerSource.init) } })
    }
}

extension SettingForm<[IssuerConfiguration]> {
    /// Issuers with their members, each issuer once.
    static var issuers: SettingForm {
        SettingForm(
            wanted: "must be \(IssuerConfiguration.form), or a list of these, each issuer once", text: .words,
            isList: true,
            paths: { paths, value in
                paths.each(value) { paths.member("keys", of: $0) { !$0.contains("://") } }
            },
            read: { value in
                guard let issuers = elements(of: value, { $0.objectValue.flatMap(IssuerConfiguration.init) }),
                    Set(issuers.map(\.name)).count == issuers.count
                else { return nil }
                return issuers
            })
    }

    static var firebaseProjects: SettingForm {
        SettingForm(
            wanted: "must be the id of a Firebase project, such as film-night, or a list of these", isList: true,
            read: { elements(of: $0) { $0.stringValue.flatMap(IssuerConfiguration.init(firebaseProject:)) } })
    }
}
