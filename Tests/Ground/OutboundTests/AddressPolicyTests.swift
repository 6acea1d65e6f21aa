import Model
import Outbound
import Testing

@Suite struct AddressPolicyTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "93.184.216.34", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2606:4700:4700::1111", "2a00:1450:4001:81b::200a", "2001:200::", "2003::1", "3ffe::1", "::ffff:8.8.8.8",
    ])
    func `a public address is admitted`(_ host: String) throws {
        #expect(AddressPolicy().admits(try #require(IPAddress(host))))
    }

    @Test(arguments: [
        // Unspecified, private, carrier-grade NAT, loopback, link local with the metadata service.
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.8.9.10",
        "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.168.0.1",
        // Assignments, documentation, 6to4 relays, benchmarks, multicast, reserved, broadcast.
        "192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // Unspecified, loopback, unique local, link local, site local, multicast, discard.
        "::", "::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "100::1",
        // IPv4 inside of IPv6: compatible, translated (NAT64), 6to4 and Teredo, public or not; mapped addresses count
        // as the IPv4 address.
        "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0:10.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b::8.8.8.8", "64:ff9b:1::10.0.0.1", "2002:7f00:1::", "2002:808:808::", "2001:0:4136:e378::",
        // Documentation, ORCHID, segment routing, unassigned.
        "2001:db8::1", "3fff::1", "2001:20::1", "5f00::1", "4000::1", "8000::1",
    ])
    func `an address that is not public is refused`(_ host: String) throws {
        #expect(!AddressPolicy().admits(try #require(IPAddress(host))))
    }

    @Test(arguments: [
        ("10.0.0.0/9", "::ffff:10.127.2.3", "10.128.2.3", "64:ff9b::10.1.2.3"),
        ("192.168.7.0/25", "192.168.7.127", "192.168.7.128", "192.168.6.1"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.2", "::1"),
        ("172.16.0.0/30", "172.16.0.3", "172.16.0.4", "172.16.1.0"),
        ("fd00::/8", "fd12::1", "fc12::1", "10.0.0.1"),
        ("::1/128", "::1", "::2", "127.0.0.1"),
        ("fe80::/10", "febf::1", "fec0::1", "169.254.1.1"),
    ])
    func `an allowed range is admitted, and nothing beside it`(
        _ range: String, _ inside: String, _ outside: String, _ other: String
    ) throws {
        let policy = AddressPolicy(allowing: try #require(AddressRanges([range])))
        #expect(policy.admits(try #require(IPAddress(inside))))
        #expect(!policy.admits(try #require(IPAddress(outside))))
        #expect(!policy.admits(try #require(IPAddress(other))))
        #expect(policy.admits(try #require(IPAddress("8.8.8.8"))))
    }

    @Test func `a range of all addresses admits all of its family`() throws {
        let policy = AddressPolicy(allowing: try #require(AddressRanges(["0.0.0.0/0"])))
        #expect(policy.admits(try #require(IPAddress("169.254.169.254"))))
        #expect(!policy.admits(try #require(IPAddress("::1"))))
    }
}
