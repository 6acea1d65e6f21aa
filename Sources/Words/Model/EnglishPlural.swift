/// Plurals of English nouns in small letters, by rules and short tables; for the names of collections.
///
/// A name is only known if both directions agree: `citys` is not the plural of `city`, since that is `cities`.
///
/// - Confinement: any
package enum EnglishPlural {
    /// `branch` → `branches`, `city` → `cities`, `person` → `people`.
    package static func plural(of noun: String) -> String {
        if let known = pluralByNoun[noun] { return known }
        let bytes = Array(noun.utf8)
        guard let last = bytes.last else { return noun }
        switch last {
        case UInt8(ascii: "y"):
            return bytes.count > 1 && !isVowel(bytes[bytes.count - 2]) ? without(1, noun) + "ies" : noun + "s"
        case UInt8(ascii: "s"), UInt8(ascii: "x"), UInt8(ascii: "z"):
            return noun + (doubled.contains(noun) ? "zes" : "es")
        case UInt8(ascii: "h"):
            let isHissing = noun.hasSuffix("sh") || noun.hasSuffix("ch") && !nounsOnHardCh.contains(noun)
            return noun + (isHissing ? "es" : "s")
        case UInt8(ascii: "o"): return noun + (nounsOnOes.contains(noun) ? "es" : "s")
        case UInt8(ascii: "f"): return nounsOnVes.contains(noun) ? without(1, noun) + "ves" : noun + "s"
        case UInt8(ascii: "e"): return nounsOnVes.contains(noun) ? without(2, noun) + "ves" : noun + "s"
        default: return noun + "s"
        }
    }

    /// `branches` → `branch`; nil when the name is not the plural of a known noun.
    package static func noun(ofPlural name: String) -> String? {
        if let known = nounByPlural[name] { return known }
        guard name.utf8.count > 1, name.hasSuffix("s"), !name.hasSuffix("ss") else { return nil }
        return candidates(name).first { plural(of: $0) == name }
    }

    /// The nouns whose plural a name with a final `s` may be, the most likely first.
    private static func candidates(_ name: String) -> [String] {
        let withoutS = without(1, name)
        // `movies`, `caches`, `shoes`, `caves`: the nouns of the table, unchanged.
        if nounsOnE.contains(withoutS) { return [withoutS] }
        if name.hasSuffix("ies") { return [without(3, name) + "y", withoutS] }
        if name.hasSuffix("ves") { return [without(3, name) + "f", without(3, name) + "fe", withoutS] }
        if name.hasSuffix("zzes") { return [without(3, name), without(2, name)] }
        guard name.hasSuffix("es") else {
            // `campus`, `status` and `tennis` are no plurals; `menus` and `taxis` are.
            let isNone = (name.hasSuffix("us") || name.hasSuffix("is")) && !nounsOnUI.contains(withoutS)
            return isNone ? [] : [withoutS]
        }
        let stem = without(2, name)
        if stem.hasSuffix("s"), !stem.hasSuffix("ss") {
            return nounsOnS.contains(stem) || stem.hasSuffix("us") && !isOnUse(stem) ? [stem] : [withoutS]
        }
        // `sizes` and `prizes`, but `waltzes`.
        if stem.hasSuffix("z"), !stem.hasSuffix("tz") { return [withoutS] }
        return [stem, withoutS]
    }

    /// Whether a word that ends in `us` lacks an `e`: `house`, `cause`, `use`.
    private static func isOnUse(_ stem: String) -> Bool {
        stem.hasSuffix("ous") || stem.hasSuffix("aus") || ["us", "excus", "mus", "fus", "refus", "rus"].contains(stem)
    }

    private static func without(_ count: Int, _ word: String) -> String { String(word.dropLast(count)) }

    private static func isVowel(_ byte: UInt8) -> Bool { "aeiou".utf8.contains(byte) }

    // MARK: Tables

    private static let pluralByNoun = [
        "person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet", "tooth": "teeth",
        "goose": "geese", "mouse": "mice", "ox": "oxen", "medium": "media", "criterion": "criteria",
        "analysis": "analyses", "crisis": "crises", "hypothesis": "hypotheses", "thesis": "theses",
        "series": "series", "species": "species", "sheep": "sheep", "deer": "deer", "fish": "fish", "news": "news",
        "aircraft": "aircraft",
    ]

    private static let nounByPlural = Dictionary(
        pluralByNoun.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

    private static let nounsOnHardCh: Set<String> = ["stomach", "monarch", "epoch", "patriarch", "matriarch", "loch"]

    private static let doubled: Set<String> = ["quiz", "whiz", "fez"]

    private static let nounsOnOes: Set<String> = [
        "hero", "superhero", "potato", "tomato", "echo", "veto", "torpedo", "embargo", "mosquito", "volcano", "domino",
        "buffalo", "tornado", "cargo",
    ]

    private static let nounsOnVes: Set<String> = [
        "shelf", "bookshelf", "half", "calf", "elf", "self", "wolf", "loaf", "leaf", "thief", "sheaf", "scarf", "knife",
        "wife", "housewife", "midwife", "life",
    ]

    private static let nounsOnUI: Set<String> = [
        "menu", "submenu", "guru", "emu", "tutu", "haiku", "gnu", "taxi", "ski", "kiwi", "alibi", "bikini", "safari",
        "wiki", "emoji",
    ]

    /// Nouns that end in a single `s`, except those that end in `us`, of which there are more than words with `use`.
    private static let nounsOnS: Set<String> = [
        "gas", "atlas", "canvas", "alias", "bias", "christmas", "lens", "iris", "cosmos", "chaos",
    ]

    /// Nouns that end in `e` and whose plurals look like those of other nouns: `movies` like `cities`, `caches` like
    /// `branches`.
    private static let nounsOnE: Set<String> = [
        "movie", "cookie", "zombie", "pie", "magpie", "tie", "necktie", "lie", "die", "selfie", "rookie", "calorie",
        "brownie", "genie", "hoodie", "smoothie", "veggie", "hippie", "junkie", "newbie", "foodie", "prairie",
        "birdie", "bookie", "collie", "goalie", "groupie", "pixie", "freebie", "oldie",
        "cache", "niche", "avalanche", "ache", "headache", "toothache", "creche", "quiche", "cliche", "moustache",
        "shoe", "horseshoe", "toe", "canoe", "oboe", "foe", "aloe", "axe", "crevasse", "posse", "mousse",
    ]
}
