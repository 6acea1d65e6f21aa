import Compression
import Fanout
import Model
import Testing
import Wire
@testable import Gateway
@testable import Quotas

@Suite struct SharedFramesTests {
    private func framed(_ payload: Publication.Payload, at position: Int64) -> FramedPublication {
        FramedPublication(
            Publication(position: Position(position), name: .notification, stream: .everyone, payload: payload))
    }

    /// The address of an array's bytes: it is the same for arrays that share them.
    private func place(_ bytes: [UInt8]) -> UInt {
        unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    private func text(_ frame: [UInt8]) -> [WebSocketEvent] {
        var connection = WebSocketConnection(role: .client, messageBytesMax: 100_000)
        var events: [WebSocketEvent] = []
        connection.receive(frame, decompressor: Inflater(), into: &events)
        return events
    }

    @Test func `a publication is compressed once for all receivers, whatever their languages`() {
        var frames = SharedFrames()
        let streams = SharedStreams()
        let json = Array(String(repeating: "for everybody ", count: 40).utf8)
        let publication = framed(.same(json), at: 1)
        let made = (0..<100).map { number in
            frames.compressed(
                of: publication, for: number.isMultiple(of: 2) ? LanguageTag("it") : nil, windowBits: 15,
                streams: streams)
        }
        #expect(Set(made.map(place)).count == 1)
        #expect(text(made[0]) == [.text(json)] && made[0].count < json.count)
        let next = frames.compressed(of: framed(.same(json), at: 2), for: nil, windowBits: 15, streams: streams)
        #expect(place(next) != place(made[0]) && next == made[0])
    }

    @Test func `an event is laid out once for all streams, with its position and without`() throws {
        var frames = SharedFrames()
        let json = Array(#"{"type":"notification","id":"n7"}"#.utf8)
        let publication = framed(.same(json), at: 7)
        let epoch = try #require(Epoch("e1"))
        var places: Set<UInt> = []
        for _ in 0..<3 {
            for isChunked in [true, false] {
                for hasID in [true, false] {
                    let bytes = frames.event(
                        of: publication, for: LanguageTag("it"), in: EventStream(epoch: epoch, isChunked: isChunked),
                        hasID: hasID)
                    let text = String(decoding: bytes, as: UTF8.self)
                    #expect(text.contains("event: notification\ndata: {\"type\":\"notification\",\"id\":\"n7\"}\n\n"))
                    #expect(text.contains("id: \(epoch.text).7\n") == hasID)
                    #expect(text.hasSuffix("\n\n\r\n") == isChunked)
                    places.insert(place(bytes))
                }
            }
        }
        #expect(places.count == 4)
        let next = frames.event(
            of: framed(.same(json), at: 8), for: nil, in: EventStream(epoch: epoch, isChunked: true), hasID: true)
        #expect(String(decoding: next, as: UTF8.self).contains("id: \(epoch.text).8\n"))
    }

    @Test func `each language and each window has its frame`() {
        var frames = SharedFrames()
        let streams = SharedStreams()
        let english = Array(String(repeating: "back at ten ", count: 40).utf8)
        let italian = Array(String(repeating: "torniamo alle dieci ", count: 40).utf8)
        let it = LanguageTag("it")
        let publication = framed(
            .localized(Localized(fallback: english, byLanguage: it.map { [$0: italian] } ?? [:])), at: 1)
        var places: Set<UInt> = []
        for _ in 0..<3 {
            for windowBits in [9, 15] {
                let plain = frames.compressed(of: publication, for: nil, windowBits: windowBits, streams: streams)
                let localized = frames.compressed(of: publication, for: it, windowBits: windowBits, streams: streams)
                #expect(text(plain) == [.text(english)] && text(localized) == [.text(italian)])
                places.formUnion([place(plain), place(localized)])
            }
        }
        #expect(places.count == 4)
    }

    @Test func `all readers that are not interrupted share the silent bytes of their language and reason`() {
        var frames = SharedFrames()
        var silent = SilentPublications()
        let streams = SharedStreams()
        func json(_ text: String) -> [UInt8] {
            Array(#"{"title":"\#(String(repeating: text, count: 40))"}"#.utf8)
        }
        let it = LanguageTag("it")
        let texts = Localized(fallback: json("back at ten "), byLanguage: it.map { [$0: json("torniamo ")] } ?? [:])
        let publication = framed(.localized(texts), at: 1)
        var places: Set<UInt> = []
        for _ in 0..<3 {
            for language in [nil, it] {
                let loud = frames.compressed(of: publication, for: language, windowBits: 15, streams: streams)
                #expect(text(loud) == [.text(texts[language])])
                places.insert(place(loud))
                for reason in [Silence.muted, .quietHours] {
                    let variant = silent.variant(of: publication, for: language, because: reason)
                    let frame = frames.compressed(of: variant, for: language, windowBits: 15, streams: streams)
                    let expected = texts[language].dropLast() + #","alert":false,"reason":"\#(reason.rawValue)"}"#.utf8
                    #expect(text(frame) == [.text(Array(expected))])
                    #expect(text(variant.frame[language]) == [.text(Array(expected))])
                    places.insert(place(frame))
                }
            }
        }
        #expect(places.count == 6)
        let next = silent.variant(of: framed(.same(json("x")), at: 2), for: it, because: .muted)
        #expect(next.publication.position == Position(2))
    }

    @Test func `noise goes out as it is`() {
        var frames = SharedFrames()
        var random = SystemRandomNumberGenerator()
        let noise = (0..<500).map { _ in UInt8.random(in: 0...255, using: &random) }
        let publication = framed(.same(noise), at: 1)
        let frame = frames.compressed(of: publication, for: nil, windowBits: 15, streams: SharedStreams())
        #expect(frame == publication.frame[nil])
    }

    @Test func `the bytes that a connection may inflate grow with the bytes that arrive, up to a bound`() {
        var allowance = InflationAllowance()
        func answer(_ bytes: Int) -> Bool { allowance.inflated(bytes, for: nil, at: 0) }
        var answers = [answer(CompressionLimits.inflatedBytesUnknown), answer(1)]
        allowance.received(100)
        answers += [answer(100 * CompressionLimits.inflatedBytesPerByte), answer(1)]
        allowance.received(CompressionLimits.inflatedBytesFree)
        answers += [answer(CompressionLimits.inflatedBytesFree), answer(1)]
        #expect(answers == [true, false, true, false, true, false])
    }

    @Test func `all connections of a user share a second allowance for inflating, which refills with time`() {
        let account = UserAccount()
        var connections = (0..<4).map { _ in InflationAllowance() }
        let own = CompressionLimits.inflatedBytesUnknown
        var answers = [connections[0].inflated(own + CompressionLimits.inflatedBytesFree / 2, for: account, at: 5000)]
        answers.append(connections[1].inflated(own + CompressionLimits.inflatedBytesFree / 2, for: account, at: 5000))
        answers.append(connections[2].inflated(own + 1000, for: account, at: 5000))
        answers.append(connections[3].inflated(own + CompressionLimits.inflatedBytesPerSecond, for: account, at: 6000))
        #expect(answers == [true, true, false, true])
    }
}
