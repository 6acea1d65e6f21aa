"""Checks the fakes with clients that others wrote: aioapns, firebase-admin, pywebpush, httpx.
The last line is "N passed, M failed"."""

import asyncio
import json
import logging
import os
import ssl
import sys
import time
import warnings
from pathlib import Path

import aioapns
import httpx
import jwt
import pywebpush
from aioapns.connection import APNsProductionClientProtocol

import apns
import fcm
from fakes import Fake, write_certificates, write_key
from service import Ending

sys.path.append(str(Path(__file__).resolve().parents[1]))

from Trials import verdict

CHECKS = verdict.Verdict(is_quiet=True)
check = CHECKS.check

logging.getLogger("aioapns").setLevel(logging.CRITICAL)
warnings.simplefilter("ignore", DeprecationWarning)


def token(key: str, **claims) -> str:
    whole = {"iss": "TEAM", "iat": int(time.time()), **claims}
    return jwt.encode(whole, key, algorithm="ES256", headers={"kid": "KEY"})


# MARK: APNs

APNS = ("--key-id", "KEY", "--team", "TEAM", "--topic", "org.example.app")


def device(end: str = "000000", number: int = 0) -> str:
    return f"{number:058x}{end}"


def aioapns_client(folder: Path, port: int, key: str = "apns.p8", team: str = "TEAM") -> aioapns.APNs:
    APNsProductionClientProtocol.APNS_SERVER, APNsProductionClientProtocol.APNS_PORT = "localhost", port
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    context.set_alpn_protocols(["h2"])
    return aioapns.APNs(key=(folder / key).read_text(), key_id="KEY", team_id=team, topic="org.example.app",
                        ssl_context=context, max_connections=1)


def notification(to: str, title: str = "x", **more) -> aioapns.NotificationRequest:
    return aioapns.NotificationRequest(device_token=to, message={"aps": {"alert": {"title": title}}}, **more)


async def check_apns(folder: Path) -> None:
    with Fake("apns", folder, "--public-key", folder / "apns.p8", "--delay", "5", *APNS) as fake:
        client = aioapns_client(folder, fake.port)
        first = await client.send_notification(notification(device()))
        check("APNs takes a notification of aioapns", first.is_successful, first.description)
        await asyncio.sleep(0.05)
        many = await asyncio.gather(*[client.send_notification(notification(device(number=n))) for n in range(50)])
        check("APNs takes fifty at once", all(answer.is_successful for answer in many))
        opened = [line["open"] for line in fake.log("request")]
        check("the first request had one stream, the others more", opened[0] == 1 and max(opened) > 1, opened)
        check("they shared a connection", len(fake.log("connection")) == 1)
        for end, reason in apns.SUFFIXES.items():
            if isinstance(reason, Ending):
                continue
            answer = await client.send_notification(notification(device(end)))
            found = (int(answer.status), answer.description)
            check(f"{end} gets {reason}", found == (apns.STATUS[reason], reason), found)
            if apns.STATUS[reason] == 410:
                check(f"{reason} has a time", abs(int(answer.timestamp) / 1000 - time.time()) < 60, answer.timestamp)
        size = len(json.dumps(notification(device()).message).encode()) - 1
        await check_reason(client, notification(device(), "x" * (4096 - size)), None)
        await check_reason(client, notification(device(), "x" * (4097 - size)), "PayloadTooLarge")
        await check_reason(client, notification(device(), collapse_key="x" * 64), None)
        await check_reason(client, notification(device(), collapse_key="x" * 65), "BadCollapseId")
        await check_reason(client, notification(device(), apns_topic="org.example.other"), "TopicDisallowed")
        await check_reason(client, notification("abc"), "BadDeviceToken")
        await check_reason(aioapns_client(folder, fake.port), notification(device()), "TooManyProviderTokenUpdates")
        await check_reason(aioapns_client(folder, fake.port, "other.p8"), notification(device()),
                           "InvalidProviderToken")
        await check_reason(aioapns_client(folder, fake.port, team="OTHER"), notification(device()),
                           "InvalidProviderToken")
    check("it ended by SIGTERM with 0", fake.status == 0, fake.status)


async def check_reason(client: aioapns.APNs, request: aioapns.NotificationRequest, reason: str | None) -> None:
    answer = await client.send_notification(request)
    check(f"APNs answers {reason or '200'}", answer.description == reason, answer.description)


def check_apns_by_hand(folder: Path) -> None:
    """What aioapns does not send."""
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    key = (folder / "apns.p8").read_text()
    good = {"authorization": "bearer " + token(key), "apns-topic": "org.example.app", "apns-push-type": "alert"}
    with Fake("apns", folder, "--public-key", folder / "apns.p8", *APNS) as fake:
        with httpx.Client(http1=True, http2=False, verify=context) as old:
            try:
                old.post(f"{fake.url}/3/device/{device()}", json={"aps": {}}, headers=good)
                check("APNs refuses HTTP/1.1", False)
            except httpx.TransportError:
                check("APNs refuses HTTP/1.1", fake.log("refused") != [])
        cases = [
            ("MissingProviderToken", {"authorization": None}),
            ("InvalidProviderToken", {"authorization": "bearer a.b.c"}),
            ("ExpiredProviderToken", {"authorization": "bearer " + token(key, iat=int(time.time()) - 3700)}),
            (None, {}),
            ("MissingTopic", {"apns-topic": None}),
            ("BadTopic", {"apns-topic": "not a topic"}),
            ("InvalidPushType", {"apns-push-type": "loud"}),
            ("BadPriority", {"apns-priority": "7"}),
            ("BadPriority", {"apns-push-type": "background", "apns-priority": "10"}),
            ("BadExpirationDate", {"apns-expiration": "soon"}),
            ("BadMessageId", {"apns-id": "1"}),
        ]
        with httpx.Client(http1=False, http2=True, verify=context) as client:
            for reason, changed in cases:
                headers = {name: value for name, value in {**good, **changed}.items() if value is not None}
                answer = client.post(f"{fake.url}/3/device/{device()}", json={"aps": {}}, headers=headers)
                found = answer.json()["reason"] if answer.content else None
                check(f"APNs answers {reason} to {changed}", found == reason, found)
            for reason, method, path, body in [
                ("MethodNotAllowed", "GET", f"/3/device/{device()}", b""), ("BadPath", "POST", "/2/device/1", b"{}"),
                ("MissingDeviceToken", "POST", "/3/device/", b"{}"),
                ("PayloadEmpty", "POST", f"/3/device/{device()}", b""),
            ]:
                answer = client.request(method, fake.url + path, headers=good, content=body)
                check(f"APNs answers {reason}", answer.json()["reason"] == reason, answer.text)
            before = len(fake.log("connection"))
            try:
                client.post(f"{fake.url}/3/device/{device('f00001')}", json={"aps": {}}, headers=good)
            except httpx.RemoteProtocolError:
                pass  # httpx gives up a request when GOAWAY comes before its answer.
            # The fake notes it when it has sent it.
            until = time.monotonic() + 5
            while not fake.log("goaway") and time.monotonic() < until:
                time.sleep(0.01)
            check("GOAWAY was sent", len(fake.log("goaway")) == 1)
            again = client.post(f"{fake.url}/3/device/{device('f00001')}", json={"aps": {}}, headers=good)
            check("after GOAWAY there is a new connection, and the device gets 200",
                  (again.status_code, len(fake.log("connection")) - before) == (200, 1), again.status_code)


# MARK: FCM


def check_fcm(folder: Path) -> None:
    import firebase_admin
    from firebase_admin import credentials, exceptions, messaging

    account = folder / "account.json"
    with Fake("fcm", folder, "--service-account", account) as fake:
        url = fake.url + "/v1/projects/{0}/messages:send"
        messaging._MessagingService.FCM_URL = url
        firebase_admin.initialize_app(credentials.Certificate(account))
        android = messaging.AndroidConfig(
            priority="high", ttl=86400, notification=messaging.AndroidNotification(
                title="Jaws", body="arrived", tag="tag", channel_id="active", notification_count=7))
        name = messaging.send(messaging.Message(token="device-1", data={"ww": "{}"}, android=android))
        check("FCM takes a message of firebase-admin", name.startswith("projects/watchwise-test/messages/"), name)
        for end, kind in [
            ("UNREGISTERED", messaging.UnregisteredError), ("SENDER_ID_MISMATCH", messaging.SenderIdMismatchError),
            ("QUOTA_EXCEEDED", messaging.QuotaExceededError),
            ("THIRD_PARTY_AUTH_ERROR", messaging.ThirdPartyAuthError),
            ("INVALID_ARGUMENT", exceptions.InvalidArgumentError),
            ("OTHER_ARGUMENT", exceptions.InvalidArgumentError),
            ("PERMISSION_DENIED", exceptions.PermissionDeniedError), ("NOT_FOUND", exceptions.NotFoundError),
        ]:
            try:
                messaging.send(messaging.Message(token=f"device:{end}", android=android))
                check(f"firebase-admin raises for {end}", False)
            except exceptions.FirebaseError as error:
                check(f"firebase-admin raises {kind.__name__}", type(error) is kind, repr(error))
        several = asyncio.run(messaging.send_each_async([messaging.Message(token=f"d{n}") for n in range(20)]))
        check("FCM takes twenty messages of the asynchronous client", several.success_count == 20,
              [str(answer.exception) for answer in several.responses if answer.exception][:1])
        check("over HTTP/2", any(line["version"] == "2" for line in fake.log("request")))
        check_fcm_by_hand(folder, fake, json.loads(account.read_text()))


def check_fcm_by_hand(folder: Path, fake: Fake, account: dict) -> None:
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    now = int(time.time())
    claims = {"iss": account["client_email"], "scope": sorted(fcm.SCOPES)[1], "aud": account["token_uri"], "iat": now,
              "exp": now + 3600}
    send = f"{fake.url}/v1/projects/{account['project_id']}/messages:send"
    with httpx.Client(http2=True, verify=context) as client:
        def grant(**changed) -> httpx.Response:
            assertion = jwt.encode({**claims, **changed}, account["private_key"], algorithm="RS256")
            return client.post(fake.url + "/token", data={"grant_type": fcm.GRANT, "assertion": assertion})

        for changed in [{"aud": "https://other/"}, {"exp": now - 60}, {"exp": now + 4000}, {"scope": "mail"},
                        {"iss": "somebody"}]:
            answer = grant(**changed)
            check(f"no access token for {changed}", answer.json().get("error") == "invalid_grant", answer.text)
        bearer = {"authorization": "Bearer " + grant().json()["access_token"]}
        check("401 without an access token", client.post(send, json={}).status_code == 401)
        for end, (status, canonical, code) in fcm.ERRORS.items():
            answer = client.post(send, headers=bearer, json={"message": {"token": f"d:{end}:7"}})
            error = answer.json()["error"]
            codes = [detail["errorCode"] for detail in error["details"] if "errorCode" in detail]
            found = (answer.status_code, error["status"], codes, answer.headers.get("retry-after"))
            check(f"FCM answers {end}", found == (status, canonical, [code] if code else [], "7"), found)
        for field, message in [
            ("message.tokens", {"tokens": ["a"]}),
            ("message.android.priority", {"token": "a", "android": {"priority": "URGENT"}}),
            ("message.data.n", {"token": "a", "data": {"n": 7}}),
            ("message.android.ttl", {"token": "a", "android": {"ttl": "1 day"}}),
            ("message.android.ttl", {"token": "a", "android": {"ttl": "2419201s"}}),
            ("message.android.notification.eventTime",
             {"token": "a", "android": {"notification": {"eventTime": "today"}}}),
            ("message.android.notification.notificationCount",
             {"token": "a", "android": {"notification": {"notificationCount": "7"}}}),
            ("message.android", {"token": "a", "android": {}, "androidV2": {}}),
            ("message.data.google.a", {"token": "a", "data": {"google.a": "b"}}),
            ("message", {"token": "a", "fid": "b"}), ("message", {"data": {}}),
            ("message", {"fid": "a", "data": {"ww": "x" * 4095}}),
        ]:
            answer = client.post(send, headers=bearer, json={"message": message})
            fields = [violation["field"] for detail in answer.json()["error"]["details"]
                      for violation in detail.get("fieldViolations", [])]
            check(f"FCM names {field}", (answer.status_code, fields) == (400, [field]), answer.text)
        full = {"fid": "a", "data": {"ww": "x" * 4094}}
        check("4,096 bytes fit", client.post(send, headers=bearer, json={"message": full}).status_code == 200)
        received = client.get(fake.url + "/received").json()
        check("what was received can be asked for", any(line.get("device") == "device-1" for line in received))


# MARK: Web Push


def check_web_push(folder: Path) -> None:
    file = folder / "subscription.json"
    with Fake("webpush", folder, "--subscription", file) as fake:
        known = json.loads(file.read_text())

        def send(path: str, data: str = "hello", auth: str | None = None, **more) -> tuple[int, dict]:
            keys = {**known["keys"], "auth": auth or known["keys"]["auth"]}
            try:
                answer = pywebpush.webpush(
                    {"endpoint": fake.url + path, "keys": keys}, data, vapid_private_key=str(folder / "apns.p8"),
                    vapid_claims={"sub": "mailto:a@example.org"}, timeout=5, **more)
            except pywebpush.WebPushException as error:
                answer = error.response
            return answer.status_code, answer.headers

        status, headers = send("/201/a", "a text with ünïcode", ttl=60)
        check("pywebpush sends a message", status == 201 and "/message/" in headers["location"], (status, headers))
        line = fake.log("request")[-1]
        check("it was decrypted", line["plain"] == "a text with ünïcode", line)
        for status in (200, 202, 204, 302, 400, 404, 410, 413, 500, 507):
            # requests follows the redirect with GET, to which the fake answers 405.
            wanted = 405 if status == 302 else status
            check(f"an endpoint answers {status}", send(f"/{status}/a")[0] == wanted)
        for status in (429, 503):
            found, headers = send(f"/{status}/a?after=7")
            check(f"{status} has Retry-After", (found, headers["retry-after"]) == (status, "7"), found)
        check("3,993 bytes fit", send("/201/a", "x" * 3993)[0] == 201)
        check("3,994 do not", send("/201/a", "x" * 3994)[0] == 413)
        check("the wrong `auth` is noticed", send("/201/a", auth="A" * 22)[0] == 400)
        check("Urgency is checked", send("/201/a", headers={"urgency": "loud"})[0] == 400)
        check("Topic is checked", send("/201/a", headers={"topic": "x" * 33})[0] == 400)
        check("an unknown endpoint is 404", send("/201")[0] == 404)
        for ending in ("cut", "reset", "refuse", "shutdown"):
            try:
                send(f"/{ending}/a")
                check(f"{ending} has no answer", False)
            except OSError:
                check(f"after {ending} there is an answer", send(f"/{ending}/a")[0] == 201)
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        with httpx.Client(http2=True, verify=context) as client:
            check("401 without VAPID", client.post(
                fake.url + "/201/a", headers={"ttl": "0", "content-encoding": "aes128gcm"}).status_code == 401)
            received = client.get(fake.url + "/received")
            check("HTTP/2 and HTTP/1.1", received.http_version == "HTTP/2", received.http_version)
            plain = [line.get("plain") for line in received.json()]
            check("what was received can be asked for", "a text with ünïcode" in plain)
    with Fake("webpush", folder, "--subscription", file, "--vapid", "another") as fake:
        check("a subscription for another key is 403", send("/201/a")[0] == 403)


def play(_: verdict.Verdict, folder: Path) -> None:
    write_certificates(folder)
    write_key(folder / "apns.p8")
    write_key(folder / "other.p8")
    os.environ["REQUESTS_CA_BUNDLE"] = os.environ["SSL_CERT_FILE"] = str(folder / "ca.pem")
    asyncio.run(check_apns(folder))
    check_apns_by_hand(folder)
    check_fcm(folder)
    check_web_push(folder)


if __name__ == "__main__":
    raise SystemExit(verdict.run(play, CHECKS, "push-providers", keeps=False))
