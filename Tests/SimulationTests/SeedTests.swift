import Testing

struct SeedTests {
}
