import Model
import Testing

struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("::192.0.2.1", "::c000:201"), ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"),
        ("fe80::1:0:0:1", "fe80::1:0:0:1"),
    ])
    func `an address is read and written`(_ text: String, _ written: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == written)
        #expect(IPAddress(written) == address)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "1.2.3.4 ", "0x1.2.3.4", "1..2.3", ":",
        ":::",
        "1:2", "1::2::3", "12345::", "g::", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1.2.3", "1.2.3.4::", "[::1]",
        "::1%eth0", "::ffff:1.2.3.4:5", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "127.0.0.1:80",
        "0000000000000000000000000000000000000000000000::1",
    ])
    func `a text that is not an address is refused`(_ text: String) { #expect(IPAddress(text) == nil) }

    @Test func `a client counts by its IPv4 address, or by its IPv6 network of 64 bits`() throws {
        let first = try #require(IPAddress("2001:db8:1:2:3::4"))
        let second = try #require(IPAddress("2001:db8:1:2:ffff::"))
        let other = try #require(IPAddress("2001:db8:1:3::"))
        #expect(first.network == second.network)
        #expect(first.network != other.network)
        #expect(IPAddress("192.0.2.1")?.network != IPAddress("192.0.2.2")?.network)
    }

    @Test(arguments: [
        (["10.0.0.0/8"], "10.255.0.1", true), (["10.0.0.0/8"], "11.0.0.1", false),
        (["10.0.0.0/8"], "::ffff:10.0.0.1", true),
        (["192.0.2.1"], "192.0.2.1", true), (["192.0.2.1"], "192.0.2.2", false), (["0.0.0.0/0"], "8.8.8.8", true),
        (["0.0.0.0/0"], "2001:db8::1", false), (["::/0"], "8.8.8.8", true),
        (["2001:db8::/33"], "2001:db8:7fff::1", true),
        (["2001:db8::/33"], "2001:db8:8000::1", false), (["2001:db8::/65"], "2001:db8::8000:0:0:0", false),
        (["fd00::/8", "::1"], "::1", true), (["none"], "127.0.0.1", false),
    ])
    func `a range contains its addresses and no others`(_ texts: [String], _ address: String, _ isIn: Bool) throws {
        let ranges = try #require(AddressRanges(texts))
        #expect(ranges.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/8/8", "example.org", "none/8", "", "/8",
        "10.0.0.0/-1", "10.0.0.1/8", "10.0.0/8", "fe80::1/10", "10.0.0.0/0008", "[::1]", "127.1",
    ])
    func `a text that is not a range is refused`(_ text: String) {
        #expect(AddressRanges([text]) == nil)
        #expect(AddressRanges(["none", text]) == nil)
    }

    @Test(arguments: ["10.0.0.0/8", "fd00::/8", "127.0.0.1/32", "10.0.0.0/8 ::1/128", "none"])
    func `ranges print as they are read`(_ text: String) throws {
        #expect(try #require(AddressRanges(text.split(separator: " ").map(String.init))).description == text)
    }

    @Test func `loopback is the machine itself`() throws {
        for (text, isIn) in ["127.0.0.1": true, "127.255.0.9": true, "::1": true, "128.0.0.1": false, "::2": false] {
            #expect(AddressRanges.loopback.contains(try #require(IPAddress(text))) == isIn)
        }
    }
}
