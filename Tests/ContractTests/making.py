"""Makes values at random from JSON Schemas, right ones and ones with one mistake."""

import datetime
import math
import re
import string

import rstr

# Texts of several scripts, with characters that programs get wrong: marks that combine, pairs of surrogates, directions.
TEXTS = [
    "Tonight?", "Λάμψη", "映画を見た", "zażółć gęślą", "ß ø æ", "👨‍👩‍👧‍👦 film", "e\u0301", "\u202eright", "two\nlines\tand a tab",
    "<b>&amp;\"'</b>", "a\\b", "𝔘", "مرحبا", " spaces ", "{{title}}", "%s %d", "' OR 1=1 --",
]
# Values that mean something: a program could not make up a better one.
EMOJIS = ["👍", "❤️", "👨‍👩‍👧‍👦", "é"]
ZONES = ["Europe/Rome", "UTC", "Asia/Tokyo"]
KEYS = {
    "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
    "auth": "tBHItJI5svbpez7KI4CCXg",
}
LATER = datetime.datetime(2056, 1, 1, tzinfo=datetime.UTC)


class Maker:
    """Makes values by a source of chance. `known` has values that mean something, by the names of their members."""

    def __init__(self, chance, known):
        self.chance = chance
        self.known = known
        self.texts = rstr.Rstr(chance)

    # Right values

    def make(self, schema, name=""):
        """A value that fits a schema; the caller checks that it does, since a known value need not."""
        chance = self.chance
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return chance.choice(schema["enum"])
        if "anyOf" in schema:
            forms = schema["anyOf"]
            some = [form for form in forms if form.get("type") != "null"]
            return self.make(chance.choice(forms if chance.random() < 0.1 or not some else some), name)
        known = self.known.get(name)
        if known and schema.get("type") in ("string", "integer", "number") and chance.random() < 0.85:
            return chance.choice(known)
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema)
        if kind == "array":
            return self.list(schema, name)
        if kind == "integer":
            return self.integer(schema)
        if kind == "string":
            return self.text(schema)
        return {
            "number": lambda: chance.choice([0, 1, -1, 1.5, 1e-3, 12345678901]), "boolean": lambda: chance.random() < 0.5,
            "null": lambda: None,
        }.get(kind, lambda: chance.choice([1, "a", None, True, [], {}]))()

    def object(self, schema):
        members = schema.get("properties", {})
        required = schema.get("required", [])
        made = {
            name: self.make(form, name) for name, form in members.items()
            if name in required or self.chance.random() < 0.5
        }
        rest = schema.get("additionalProperties", True)
        if isinstance(rest, dict):
            for _ in range(max(schema.get("minProperties", 0), self.chance.choice([0, 1, 1, 2]))):
                made[self.make(schema.get("propertyNames", {"type": "string"}), "name")] = self.make(rest)
        elif rest and self.chance.random() < 0.2:
            made["futureField"] = self.chance.choice([1, "a", None, True, [1, {"b": None}], {"c": 1.5}])
        return made

    def list(self, schema, name):
        least, most = schema.get("minItems", 0), schema.get("maxItems", 5)
        count = self.chance.choice([least, least, least + 1, min(least + 3, most), min(most, 5)])
        if self.chance.random() < 0.03:
            count = most
        return [self.make(schema.get("items", {}), name) for _ in range(min(count, most))]

    def integer(self, schema):
        least, most = schema.get("minimum", -1000), schema.get("maximum", 1000)
        return self.chance.choice([least, most, min(least + 1, most), self.chance.randint(least, min(most, least + 20))])

    def text(self, schema):
        if schema.get("format") == "date-time":
            return self.time()
        least, most = schema.get("minLength", 0), schema.get("maxLength", 1000)
        pattern = schema.get("pattern")
        if not pattern:
            made = self.chance.choice(TEXTS)
            if self.chance.random() < 0.05:
                made = made * math.ceil(most / len(made))
            return made[:most] if len(made) >= least else made.ljust(least, "x")
        for _ in range(100):
            made = self.texts.xeger(pattern)
            if len(made) > most and re.search(pattern, made[:most]):
                made = made[:most]
            if least <= len(made) <= most and re.search(pattern, made):
                return made
        raise ValueError(f"no text was found for {schema}")

    def time(self):
        made = LATER + datetime.timedelta(seconds=self.chance.randint(0, 10**8))
        if self.chance.random() < 0.2:
            made -= datetime.timedelta(days=365 * 40)
        zone = self.chance.choice(["Z", "+00:00", "-11:30", "+14:00"])
        return made.strftime("%Y-%m-%dT%H:%M:%S") + self.chance.choice(["", ".5", ".123", ".123456"]) + zone

    # Wrong values

    def wrong(self, schema, value):
        """Values that break a schema, each with what is wrong; the caller checks that they do."""
        found = [("type", other) for other in ("a", 7, 1.5, True, [], {}) if type(other) is not type(value)]
        forms = schema.get("anyOf", [schema])
        for form in forms:
            kind = form.get("type")
            if kind == "string":
                if "maxLength" in form:
                    filler = value[-1] if isinstance(value, str) and value else "x"
                    found.append(("too long", filler * (form["maxLength"] + 1)))
                if form.get("minLength"):
                    found.append(("too short", ""))
                if "pattern" in form or "enum" in form or "format" in form:
                    start = value if isinstance(value, str) else ""
                    found += [("form", start + " "), ("form", " " + start), ("form", start[:1] + "é" + start[1:])]
                    found.append(("form", start + "\u0000"))
                    found.append(("form", "".join(self.chance.choice(string.punctuation) for _ in range(8))))
            elif kind == "integer":
                found += [("range", form["maximum"] + 1)] if "maximum" in form else []
                found += [("range", form["minimum"] - 1), ("range", -1)] if "minimum" in form else []
                found += [("whole", 1.5), ("whole", 1e300)]
            elif kind == "array":
                if "maxItems" in form and isinstance(value, list):
                    item = value[0] if value else self.make(form.get("items", {}))
                    found.append(("too many", [item] * (form["maxItems"] + 1)))
                if form.get("minItems"):
                    found.append(("too few", []))
        return found

    def break_one(self, schema, value):
        """The same value with one mistake.

        Returns:
            The dotted path of the wrong member, what is wrong with it, and the value.
        """
        forms = [form for form in schema.get("anyOf", [schema]) if form.get("type") == "object"]
        forms = [form for form in forms if set(form.get("required", [])) <= set(value)] or forms
        form = self.chance.choice(forms)
        members = [name for name in form.get("properties", {}) if name not in ("id", "type")]
        if not members:
            return None
        name = self.chance.choice(members)
        member = form["properties"][name]
        made = dict(value)
        if name in form.get("required", []) and self.chance.random() < 0.2:
            if self.chance.random() < 0.5:
                made[name] = None
                return name, "null", made
            made.pop(name, None)
            return name, "missing", made
        inner = made.get(name)
        parts = [part for part in member.get("anyOf", [member]) if part.get("type") == "object"]
        if isinstance(inner, dict) and parts and self.chance.random() < 0.8:
            broken = self.break_one(self.chance.choice(parts), inner)
            if broken:
                made[name] = broken[2]
                return f"{name}.{broken[0]}", broken[1], made
        lists = [part for part in member.get("anyOf", [member]) if part.get("type") == "array"]
        if isinstance(inner, list) and inner and lists and self.chance.random() < 0.5:
            place = self.chance.randrange(len(inner))
            what, wrong = self.chance.choice(self.wrong(lists[0].get("items", {}), inner[place]))
            made[name] = inner[:place] + [wrong] + inner[place + 1:]
            return f"{name}.{place}", what, made
        what, made[name] = self.chance.choice(self.wrong(member, inner))
        return name, what, made
