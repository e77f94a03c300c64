#!/usr/bin/env python3
"""validate.py SCHEMA DOCUMENT...: do JSON documents follow a schema (draft 2020-12, the keywords below)?

A keyword that this program does not know is an error, so that none is silently ignored. Where the package jsonschema is
installed, it must agree."""
import json
import re
import sys

NOTES = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"object": isinstance(value, dict), "array": isinstance(value, list), "string": isinstance(value, str),
            "boolean": isinstance(value, bool), "null": value is None, "number": number,
            "integer": number and value == int(value)}[name]


def equal(a, b):
    return type(a) is type(b) and a == b or (is_type(a, "number") and is_type(b, "number") and a == b)


def errors(value, schema, root, where):
    """All places where the value breaks the schema."""
    if schema is True:
        return
    for keyword, rule in schema.items():
        if keyword in NOTES:
            continue
        if keyword not in CHECKS:
            raise SystemExit(f"validate.py does not know the keyword {keyword}")
        yield from CHECKS[keyword](value, rule, schema, root, where)


def check_ref(value, rule, schema, root, where):
    target = root
    for step in rule.removeprefix("#/").split("/"):
        target = target[step]
    yield from errors(value, target, root, where)


def check_type(value, rule, schema, root, where):
    if not any(is_type(value, name) for name in ([rule] if isinstance(rule, str) else rule)):
        yield f"{where}: {value!r} is not of type {rule}"


def check_required(value, rule, schema, root, where):
    for key in rule if isinstance(value, dict) else []:
        if key not in value:
            yield f"{where}: lacks {key}"


def check_properties(value, rule, schema, root, where):
    for key in value if isinstance(value, dict) else []:
        if key in rule:
            yield from errors(value[key], rule[key], root, f"{where}.{key}")


def check_additional(value, rule, schema, root, where):
    for key in value if isinstance(value, dict) else []:
        if key in schema.get("properties", {}):
            continue
        if rule is False:
            yield f"{where}: {key} is not allowed"
        else:
            yield from errors(value[key], rule, root, f"{where}.{key}")


def check_prefix(value, rule, schema, root, where):
    for i, (item, one) in enumerate(zip(value, rule) if isinstance(value, list) else []):
        yield from errors(item, one, root, f"{where}[{i}]")


def check_items(value, rule, schema, root, where):
    first = len(schema.get("prefixItems", []))
    for i, item in enumerate(value[first:] if isinstance(value, list) else []):
        yield from errors(item, rule, root, f"{where}[{first + i}]")


def check_some(value, rule, schema, root, where, enough):
    found = [list(errors(value, one, root, where)) for one in rule]
    good = sum(not one for one in found)
    if not enough(good):
        yield f"{where}: fits {good} of {len(rule)} alternatives; the nearest: {min(found, key=len)[:1]}"


def check_simple(broken, text):
    def check(value, rule, schema, root, where):
        if broken(value, rule):
            yield f"{where}: {value!r} {text} {rule!r}"
    return check


CHECKS = {
    "$ref": check_ref, "type": check_type, "required": check_required, "properties": check_properties,
    "additionalProperties": check_additional, "prefixItems": check_prefix, "items": check_items,
    "oneOf": lambda *all: check_some(*all, enough=lambda good: good == 1),
    "anyOf": lambda *all: check_some(*all, enough=lambda good: good > 0),
    "const": check_simple(lambda value, rule: not equal(value, rule), "is not"),
    "enum": check_simple(lambda value, rule: not any(equal(value, one) for one in rule), "is not one of"),
    "pattern": check_simple(lambda value, rule: isinstance(value, str) and not re.search(rule, value), "is not like"),
    "minimum": check_simple(lambda value, rule: is_type(value, "number") and value < rule, "is below"),
    "exclusiveMinimum": check_simple(lambda value, rule: is_type(value, "number") and value <= rule, "is not above"),
    "minItems": check_simple(lambda value, rule: isinstance(value, list) and len(value) < rule, "is shorter than"),
    "maxItems": check_simple(lambda value, rule: isinstance(value, list) and len(value) > rule, "is longer than"),
}


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    try:
        from jsonschema import Draft202012Validator
        Draft202012Validator.check_schema(schema)
        peer = Draft202012Validator(schema)
    except ImportError:
        peer = None
    wrong = 0
    for path in sys.argv[2:]:
        try:
            with open(path, encoding="utf-8", errors="strict") as file:
                document = json.load(file, parse_constant=refuse)
        except ValueError as error:
            print(f"{path}: {error}")
            wrong += 1
            continue
        found = list(errors(document, schema, schema, f"{path}: report"))
        if peer and peer.is_valid(document) == bool(found):
            found.append(f"{path}: jsonschema disagrees")
        print("\n".join(found), end="\n" if found else "")
        wrong += bool(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
