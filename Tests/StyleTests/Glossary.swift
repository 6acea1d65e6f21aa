/// Words and forms that are hard to read, or not English, with advice for each.
enum Glossary {
    /// Modules whose comments are being rewritten. The list must become empty.
    static let modulesToCome: Set<String> = []

    /// Pages that are being rewritten. The list must become empty.
    static let pagesToCome: Set<String> = []

    /// The advice for each word, or words in a row.
    private static let words: [(word: String, instead: String)] = [
        ("behind", "'after', unless it is a place: 'behind a proxy'"),
        ("anew", "'again', or 'new'"),
        ("told", "what happens: is sent, is notified, is written"),
        ("whoever", "'everybody who', 'the client that'"),
        ("he", "'they', or the noun"), ("his", "'their', or the noun"), ("him", "'them', or the noun"),
        ("so many", "the number"),
        ("of such.", "'of these'"), ("of such,", "'of these'"), ("of such;", "'of these'"),
        ("is none of", "'is not one of'"), ("is none", "'is not one', 'is not valid'"),
        ("are none", "'are not'"),
        ("is not done here", "what to do, then why"),
        ("does as well", "'works, too'"),
        ("came to nothing", "'is empty'"), ("comes to nothing", "'is empty'"),
        ("put off", "'snoozed' or 'delayed'"),
        ("milliard", "'billion'"), ("milliards", "'billion'"),
        ("manyth", "'nth'"),
        ("reckoned", "'estimated', 'counted'"),
        ("dear", "'expensive'"), ("dearer", "'more expensive'"), ("dearest", "'most expensive'"),
        ("by turns", "'in turns'"),
        ("other way round", "name the other case"),
        ("in the midst", "'during', 'in the middle'"),
        ("without a word", "'without a message', 'without a close'"),
        ("came of", "'the result of'"), ("comes of", "'the result of'"), ("come of", "'the result of'"),
        ("be had", "'is available'"), ("is had", "'is available'"), ("are had", "'are available'"),
        ("was had", "'was available'"), ("were had", "'were available'"),
    ]

    private static let allowed = [
        "behind a proxy", "behind the proxy", "behind proxies", "there is none", "there are none",
    ]

    /// Nouns after which "who" is right: 'who' is for people, and programs are 'that'.
    private static let people: Set = [
        "administrator", "administrators", "anybody", "anyone", "author", "authors", "everybody", "everyone", "fan",
        "fans", "follower", "followers", "friend", "friends", "member", "members", "nobody", "one", "operator",
        "operators", "others", "people", "person", "reader", "readers", "receiver", "receivers", "recipient",
        "recipients", "sender", "senders", "somebody", "someone", "student", "students", "those", "user", "users",
        "writer", "writers",
    ]

    /// Statements for the database have names of their own.
    static func isSQL(_ text: String) -> Bool { text.contains("SELECT ") }

    /// A sentence for each word or form of the glossary in a text.
    static func findings(in text: String) -> [String] {
        var letters = text.lowercased() + "."
        for phrase in allowed { letters = letters.replacing(phrase, with: "") }
        let found = words.filter { contains($0.word, in: letters) }.map { "'\($0.word)': write \($0.instead)" }
        return found + forms(in: letters)
    }

    /// The same for the text of a comment, whose sentences must have a noun as their subject.
    static func findings(inComment text: String) -> [String] {
        let sentence = text.drop { $0 == "/" || $0 == " " }
        let relative = sentence.matches(of: /(?:^|[.!?] )(What|Who|Whom|Whose|Whoever|Whatever|Whichever)\b/)
        return findings(in: text)
            + relative.map { "a sentence begins with '\($0.1)': begin with a noun, or with a verb" }
    }

    /// Forms that are more than a word.
    private static func forms(in text: String) -> [String] {
        let causing = /\b(?:has|have|had|having) (?:the|a|an|its|their|all|each|every)((?: [\w']+){1,4})/
        let causative = text.matches(of: causing)
            .filter { $0.1.split(separator: " ").dropFirst().contains { participles.contains(String($0)) } }
            .map { "'\($0.0)': write what happens: queues, sends, writes" }
        let noun = text.contains(/(?:^|[.:;] )such as\b/) ? ["'such as' needs a noun before it"] : []
        let programs = text.matches(of: /\b(\w+),?(?: (?:by|for|from|in|of|to|with))? whom?\b/)
            .filter { !people.contains(String($0.1)) && !joints.contains(String($0.1)) }
            .map { "'\($0.0)': programs are 'that', or name the person" }
        return causative + noun + programs
    }

    private static let participles: Set = ["told", "written", "done", "sent", "counted", "checked", "logged", "looked"]
    /// Words after which "who" begins a clause of its own.
    private static let joints: Set = [
        "and", "or", "but", "by", "for", "from", "in", "of", "to", "with", "says", "say", "asks", "decide", "decides",
        "knows", "me", "reaches", "show",
    ]

    /// Whether a word, or several in a row, stands by itself in a text of small letters.
    private static func contains(_ word: String, in text: String) -> Bool {
        text.ranges(of: word).contains { range in
            !text[..<range.lowerBound].suffix(1).contains(where: \.isWordLetter)
                && !text[range.upperBound...].prefix(1).contains(where: \.isWordLetter)
                && text[range.upperBound...].prefixMatch(of: /\.\w/) == nil  // the name of a column
        }
    }
}

extension Character {
    fileprivate var isWordLetter: Bool { isLetter || isNumber || self == "_" || self == "`" }
}
