import Console
import JSON
import Model

/// The texts of a broadcast as the command line gives them: one for all readers, or one by language.
struct BroadcastTexts {
    /// The text without a language; with others beside it, it is the English one, the server's default.
    private(set) var plain: String?
    private(set) var byLanguage: [(language: LanguageTag, text: String)] = []
    private let option: String

    /// - Parameters:
    ///   - arguments: `TEXT` or `LANGUAGE=TEXT`.
    ///   - argument: a text without an option.
    ///   - option: `--title` or `--body`, for messages.
    init(_ arguments: [String], besides argument: String? = nil, option: String) throws {
        self.option = option
        plain = argument
        for argument in arguments {
            guard let (language, text) = try Self.language(of: argument, option) else {
                guard plain == nil else {
                    throw CommandFailure(
                        .misused, "\(option) is given twice without a language; write \(option) it=TEXT")
                }
                plain = argument
                continue
            }
            guard !byLanguage.contains(where: { $0.language == language }) else {
                throw CommandFailure(.misused, "\(option) is given twice for \(language)")
            }
            byLanguage.append((language, text))
        }
    }

    private static func language(
        of argument: String, _ option: String
    ) throws -> (language: LanguageTag, text: String)? {
        guard let sign = argument.firstIndex(of: "="), let tag = LanguageTag(String(argument[..<sign])) else {
            return nil
        }
        if let unknown = KnownLanguage.unknownPart(of: tag) {
            throw CommandFailure(
                .misused,
                """
                \(option) \(argument.cut(to: 40)): there is no \(unknown). For a text that begins like this, write \
                \(option) en='\(argument.cut(to: 40))'
                """)
        }
        return (tag, String(argument[argument.index(after: sign)...]))
    }

    var isEmpty: Bool { plain == nil && byLanguage.isEmpty }

    /// The languages; that of a text without one is English.
    var languages: [LanguageTag] {
        byLanguage.map(\.language) + (plain == nil ? [] : LanguageTag("en").map { [$0] } ?? [])
    }

    /// One text, or an object of them.
    var json: JSONValue {
        guard !byLanguage.isEmpty else { return .string(plain ?? "") }
        var object = JSONObject(byLanguage.map { ($0.language.text, .string($0.text)) })
        if let plain { object["en"] = .string(plain) }
        return .object(object)
    }

    /// A title and a body come to each reader in one language, so they must be given in the same ones.
    ///
    /// - Throws: `CommandFailure` that names the languages.
    func check(against title: BroadcastTexts) throws {
        guard !isEmpty, !byLanguage.isEmpty || !title.byLanguage.isEmpty else { return }
        let (own, others) = (Set(languages), Set(title.languages))
        try Self.check(own.subtracting(others), lack: title.option, readers: "see this text under a title in another")
        try Self.check(others.subtracting(own), lack: option, readers: "see the title without a text")
    }

    private static func check(_ missing: Set<LanguageTag>, lack option: String, readers: String) throws {
        let names = missing.map(\.text).sorted()
        guard let first = names.first else { return }
        throw CommandFailure(
            .misused,
            """
            there is no \(option) for \(names.joined(separator: ", ")), so readers of that language would \(readers). \
            Add \(option) \(first)=TEXT; a text without a language counts as en
            """)
    }
}
