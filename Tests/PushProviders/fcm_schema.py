"""Whether the body of messages:send is what Google's description of the API says."""

import json
import re
from pathlib import Path

import googleapiclient.discovery_cache

DOCUMENT = Path(googleapiclient.discovery_cache.__file__).parent / "documents" / "fcm.v1.json"
DATA_BYTES_MAX = 4096
TTL_SECONDS_MAX = 28 * 24 * 3600
NUMBERS = {"int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1)}
FORMATS = {
    "google-duration": r"-?\d{1,12}(\.\d{1,9})?s",
    "google-datetime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)",
    "int64": r"-?\d{1,19}",
}

Problem = tuple[str, str]


class MessageSchema:
    def __init__(self):
        self.schemas = json.loads(DOCUMENT.read_text())["schemas"]

    def problems(self, body: object) -> list[Problem]:
        """The wrong fields with what is wrong with them."""
        found = self.check("", {"$ref": "SendMessageRequest"}, body)
        if not found and "message" not in body:
            found = [("message", "is missing")]
        return found or self.rules(body["message"])

    def check(self, path: str, schema: dict, value: object) -> list[Problem]:
        schema = self.schemas[schema["$ref"]] if "$ref" in schema else schema
        match schema.get("type"):
            case "object":
                return self.check_object(path, schema, value)
            case "array":
                if not isinstance(value, list):
                    return [(path, "must be an array")]
                return [problem for number, entry in enumerate(value)
                        for problem in self.check(f"{path}[{number}]", schema["items"], entry)]
            case "string":
                return self.check_string(path, schema, value)
            case "boolean":
                return [] if isinstance(value, bool) else [(path, "must be a boolean")]
            case "integer" | "number":
                if isinstance(value, bool) or not isinstance(value, int | float):
                    return [(path, "must be a number")]
                low, high = NUMBERS.get(schema.get("format", ""), (float("-inf"), float("inf")))
                return [] if low <= value <= high else [(path, "is out of range")]
            case "any" | None:
                return []
            case other:
                return [(path, f"has a type that is not known here: {other}")]

    def check_object(self, path: str, schema: dict, value: object) -> list[Problem]:
        if not isinstance(value, dict):
            return [(path or "body", "must be an object")]
        found: list[Problem] = []
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, member in value.items():
            place = f"{path}.{name}" if path else name
            # JSON of protocol buffers may have either form of a name.
            camel = re.sub(r"_([a-z])", lambda match: match[1].upper(), name)
            wanted = known.get(name) or known.get(camel, others)
            if wanted is None:
                found.append((place, "is not known"))
            else:
                found += self.check(place, wanted, member)
        return found

    def check_string(self, path: str, schema: dict, value: object) -> list[Problem]:
        if not isinstance(value, str):
            return [(path, "must be a string")]
        # The description itself says "normal" and "high", and so does Google's own client.
        if "enum" in schema and value.upper() not in schema["enum"]:
            return [(path, f"is not one of {', '.join(schema['enum'])}")]
        form = FORMATS.get(schema.get("format", ""))
        return [] if form is None or re.fullmatch(form, value) else [(path, f"is not a {schema['format']}")]

    def rules(self, message: dict) -> list[Problem]:
        """What the description says in words alone."""
        found: list[Problem] = []
        if len(targets := message.keys() & {"token", "fid", "topic", "condition"}) != 1:
            found.append(("message", f"must have one target, has {len(targets)}"))
        if any(message.get(name) == "" for name in ("token", "fid")):
            found.append(("message.token", "is empty"))
        if "android" in message and "androidV2" in message:
            found.append(("message.android", "excludes androidV2"))
        data = message.get("data", {})
        for key in data:
            if key in ("from", "message_type") or key.startswith(("google.", "gcm.")):
                found.append((f"message.data.{key}", "is a reserved word"))
        android = message.get("android", {})
        texts = [*data.items(), *android.get("notification", {}).items()]
        if (size := sum(len(f"{key}{value}".encode()) for key, value in texts)) > DATA_BYTES_MAX:
            found.append(("message", f"has {size} bytes, at most {DATA_BYTES_MAX}"))
        if not 0 <= float(android.get("ttl", "0s")[:-1]) <= TTL_SECONDS_MAX:
            found.append(("message.android.ttl", "is not from 0 to 28 days"))
        return found
