package import JSON

/// A page of a list.
///
/// - Confinement: any
package struct Page<Entry: Sendable>: Sendable {
    package let entries: ArraySlice<Entry>
    /// Where the next page begins, as clients give it back; nil when there is none.
    package let next: String?

    /// - Parameters:
    ///   - found: one more than the page holds, if there are more.
    ///   - limit: how many the page holds at most.
    ///   - next: where the page ends that ends with an entry.
    package init(_ found: [Entry], limit: Int, next: (Entry) -> String) {
        entries = found.prefix(limit)
        self.next = found.count > limit ? next(found[limit - 1]) : nil
    }
}

extension JSONObject {
    /// The answer with a page of a list.
    package init<Entry>(_ name: String, _ page: Page<Entry>, _ json: (Entry) -> JSONValue) {
        self = [name: .array(page.entries.map(json))]
        self["next"] = page.next.map { .string($0) }
    }
}

extension JSONWriter {
    /// Writes a member that is an array.
    ///
    /// It is not generic over the elements: called from another module, a generic function would allocate memory for
    /// each of them.
    ///
    /// - Parameter elements: writes all elements.
    package mutating func array(_ name: String, _ elements: (inout JSONWriter) -> Void) {
        self.name(name)
        beginArray()
        elements(&self)
        endArray()
    }

    /// Writes where the next page begins, if there is one.
    package mutating func next<Entry>(of page: Page<Entry>) {
        if let next = page.next { member("next", next) }
    }
}
