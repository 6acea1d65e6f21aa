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

extension JSONWriter {
    /// Writes a member that is an array.
    ///
    /// - Parameter element: writes one element.
    package mutating func array<Elements: Sequence>(
        _ name: String,
        _ elements: Elements,
        _ element: (Elements.Element, inout JSONWriter) -> Void
    ) {
        self.name(name)
        beginArray()
        for next in elements { element(next, &self) }
        endArray()
    }

    /// Writes where the next page begins, if there is one.
    package mutating func next<Entry>(of page: Page<Entry>) {
        if let next = page.next { member("next", next) }
    }
}
