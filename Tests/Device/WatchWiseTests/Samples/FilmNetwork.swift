import WatchWise

/// A network of film lovers: recommendations in chats, people and directors that one follows, reviews, the inbox.
@WatchWiseActor
struct FilmNetwork {
    let ww: WatchWise

    func follow(person: String) throws { try ww.topics.follow("user:\(person)") }
    func follow(director: String) throws { try ww.topics.follow("person:\(director)") }

    func recommend(_ film: Product, to friend: String, because note: String) throws {
        try ww.chat(with: friend).recommend(film, note: note)
    }

    func review(_ film: Product, _ text: String, stars: Double) throws {
        let id = film.id.replacing("/", with: "-") + "-" + ww.user
        try ww.document("reviews/\(id)").put([
            "author": .string(ww.user), "product": .string(film.id), "text": .string(text), "rating": .number(stars),
        ])
    }

    /// Recommendations that wait for an answer, from all chats; each new list as it comes.
    func showRecommendations(_ show: @Sendable ([Message]) -> Bool) async {
        for await chats in ww.chats.snapshots() where !show(chats.items.compactMap(\.last).filter { $0.product != nil })
        {
            return
        }
    }
}
