import Session

/// The phrases of the cast, in English and in Italian.
enum DemoPhrases {
    typealias Phrase = (english: String, italian: String)

    /// Notes for a recommendation.
    static let notes: [Phrase] = [
        ("The ending changed the beginning for me.", "Il finale mi ha cambiato l'inizio."),
        ("Watch it in the dark, phone off.", "Guardalo al buio, col telefono spento."),
        ("I thought of you in the very first scene.", "Ho pensato a te già alla prima scena."),
        ("Two hours, and I never looked at the clock.", "Due ore, e non ho mai guardato l'orologio."),
        ("Tell me who you would trust in it.", "Poi dimmi di chi ti fideresti tu."),
        ("The music alone is worth it.", "Basterebbe la musica."),
    ]

    /// Answers to a recommendation.
    static let thanks: [Phrase] = [
        ("Tonight, then. I bring the popcorn.", "Stasera, allora. I popcorn li porto io."),
        ("Seen it twice. I would go a third time.", "Visto due volte. Ci tornerei una terza."),
        ("On my list, right at the top.", "In lista, al primo posto."),
        ("You had me at the director.", "Mi bastava il nome del regista."),
        ("If I cannot sleep afterwards, it is your fault.", "Se poi non dormo è colpa tua."),
        ("I cried at the trailer already.", "Ho pianto già al trailer."),
    ]

    /// Answers to other messages.
    static let replies: [Phrase] = [
        ("Say that again, slowly, while it rains.", "Ridillo piano, mentre piove."),
        ("In the film of this evening, that is the first line.", "Nel film di stasera questa è la prima battuta."),
        ("Cut! That was perfect. Once more.", "Stop! Perfetta. Ne facciamo un'altra."),
        ("I was just thinking the same, in black and white.", "Lo pensavo anch'io, in bianco e nero."),
        ("Only if there is an intermission.", "Solo se c'è l'intervallo."),
        ("And then the credits roll?", "E poi i titoli di coda?"),
        ("Meet me at the last row, eight o'clock.", "Ultima fila, alle otto."),
    ]

    /// Reviews of a film.
    static let reviews: [Phrase] = [
        ("Nobody breathes for the last ten minutes.", "Negli ultimi dieci minuti non respira nessuno."),
        ("It looks at you longer than you look at it.", "Ti guarda più a lungo di quanto lo guardi tu."),
        ("Every frame could hang on my wall.", "Ogni inquadratura starebbe bene sul mio muro."),
        ("Better the second time, and worse for your sleep.", "Meglio la seconda volta, peggio per il sonno."),
    ]
}

/// A random choice that is the same for the same seed.
struct DemoChance: RandomNumberGenerator {
    private var source: JitterSource

    /// The seed is mixed once; otherwise neighbouring seeds would give the same choices, one step later.
    init(seed: UInt64) {
        var first = JitterSource(seed: seed)
        source = JitterSource(seed: first.next())
    }

    /// Choices for a text, for example the name of a chat.
    init(seed: UInt64, about text: String) {
        self.init(seed: text.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    mutating func next() -> UInt64 { source.next() }

    /// A phrase in the language that two people share: Italian when both speak it.
    mutating func phrase(_ phrases: [DemoPhrases.Phrase], between one: DemoPerson, and other: DemoPerson) -> String {
        let phrase = phrases.randomElement(using: &self)
        return (one.isItalian && other.isItalian ? phrase?.italian : phrase?.english) ?? ""
    }
}
