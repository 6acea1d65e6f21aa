/// The thing that one person recommends to another: a film or a series, by the application's id, with the content of
/// its card.
///
/// - Confinement: any
package struct Product: Sendable, Hashable {
    /// The form of a product id, for error messages.
    package static let idForm = "1 to 200 of A-Z a-z 0-9 _ . @ / -, such as movie/603"

    /// `movie/603`, `tv/1399`; the only part that is required.
    package let id: String
    package let title: String?
    package let year: Int?
    /// The address of a picture, unchanged from the application.
    package let poster: String?

    /// Nil when `id` has another form.
    package init?(id: String, title: String? = nil, year: Int? = nil, poster: String? = nil) {
        guard Identifier.matches(id, lengthMax: 200, extra: Identifier.topicExtra) else { return nil }
        self.id = id
        self.title = title
        self.year = year
        self.poster = poster
    }
}
