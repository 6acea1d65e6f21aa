import Testing

@testable import Admin
@testable import Gateway

/// The table of routes.
struct RouteNamesTests {
    @Test func `the template names each thing once, and actions have names of their own`() {
        #expect(Set(RouteTable.all.map { "\($0.method) \($0.template)" }).count == RouteTable.all.count)
        #expect(Set(RouteTable.all.map(\.action)).count == RouteTable.all.count)
    }
}
