import Testing
import Wire

/// `If-None-Match` of reads (RFC 9110 section 13.1.2).
struct HeldCopiesTests {
    @Test(arguments: [
        (#""a""#, true), (#"W/"a""#, true), (#""b", "a""#, true), (#""b",W/"a","c""#, true), ("*", true),
        (#""x,y", "a""#, true), (#", "a" ,"#, true), (#""A""#, false), (#""b""#, false), ("a", false), ("", false),
        (#""aa""#, false), (#""a"#, false), (#"w/"b""#, false), (#""x, "a""#, false), (#""*""#, false),
    ])
    func `tags are compared weakly, in lists and by a star`(value: String, isHeld: Bool) {
        #expect(HeldCopies(["if-none-match": value]).contain(#""a""#) == isHeld)
    }

    @Test func `an own weak tag is compared without its mark as well`() {
        #expect(HeldCopies(["If-None-Match": #""a""#]).contain(#"W/"a""#))
    }

    @Test func `several lines are one list, and no line holds nothing`() {
        #expect(HeldCopies(["If-None-Match": #""b""#, "if-none-match": #""a""#]).contain(#""a""#))
        #expect(!HeldCopies([:]).contain(#""a""#))
    }
}
