import Testing
import Wire

/// RFC 2047 in header fields with text.
struct EncodedWordsTests {
    @Test(arguments: [
        ("=?UTF-8?B?S3Jha8OzdyDwn46s?=", "Kraków 🎬"), ("=?utf-8?q?Krak=C3=B3w?=", "Kraków"),
        ("=?UTF-8?Q?two_words=2C_one?=", "two words, one"), ("=?ISO-8859-1?Q?Caf=E9?=", "Café"),
        ("=?us-ascii?q?plain?=", "plain"), ("=?utf-8*en?Q?hi?=", "hi"), ("=?UTF8?b?aGk?=", "hi"),
        ("=?UTF-8?B?w7M=?= =?UTF-8?B?w7M=?=", "óó"), ("=?UTF-8?B?8J+O?= =?UTF-8?B?rA==?=", "🎬"),
        ("=?UTF-8?Q?a?=\t=?ISO-8859-1?Q?=E9?= b", "aé b"), ("one =?UTF-8?Q?two?= three", "one two three"),
        ("x=?UTF-8?Q?y?=z", "xyz"), ("=?UTF-8?Q??=", ""),
    ])
    func `encoded words are read`(value: String, text: String) {
        #expect(EncodedWords.decode(value) == text)
    }

    @Test(arguments: [
        "", "plain", "=?", "=?UTF-8?B?", "=?UTF-8?B?***?=", "=?UTF-8?Q?=G1?=", "=?UTF-8?Q?=C3?=", "=?UTF-8?X?a?=",
        "=?koi8-r?B?8A==?=", "=?UTF-8?B?w7M=", "=?us-ascii?Q?=E9?=", "Is 1=?2 or 3?= 4",
    ])
    func `a text without encoded words stays as it is`(value: String) {
        #expect(EncodedWords.decode(value) == value)
    }
}
