import Log
package import Model
import Store

/// When a registered device was last used, and the language that it has.
///
/// - Confinement: any
package struct PushDeviceUse: Sendable, Hashable {
    package let used: Timestamp
    package let language: LanguageTag?

    package init(used: Timestamp, language: LanguageTag?) {
        self.used = used
        self.language = language
    }

    /// Whether a `hello` of the device is worth a write: the last use is a day ago, or the device names another language.
    ///
    /// - Parameter language: that it names; nil when it names none.
    package func isOutdated(by language: LanguageTag?, at now: Timestamp) -> Bool {
        if let language, language != self.language { return true }
        return now.milliseconds - used.milliseconds >= PushLimits.useNotedMilliseconds
    }
}

extension PushDeviceUse {
    private enum Column: Int, ColumnName {
        case used, language
    }

    init(_ row: Columns) throws {
        used = try row[Column.used]
        let language: String? = try row.optional(Column.language)
        self.language = language.flatMap(LanguageTag.init)
    }
}
