#!/usr/bin/env python3
"""apng.py PICTURE FRAME...: is PICTURE an animated PNG with exactly these frames, each a PNG file?

Decodes both by itself, with the standard library only: chunks, checksums, sequence numbers, filters."""
import struct
import sys
import zlib


def chunks(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "no signature"
    at, found = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        (crc,) = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        assert crc == zlib.crc32(kind + body), f"wrong checksum of {kind}"
        found.append((kind, body))
        at += 12 + size
    assert at == len(data) and found[0][0] == b"IHDR" and found[-1] == (b"IEND", b""), "no header or no end"
    return found


def decode(header, packed):
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    assert (depth, colour, interlaced) == (8, 2, 0), "not plain RGB"
    raw, row_size, rows = zlib.decompress(packed), 3 * width, [bytes(3 * width)]
    assert len(raw) == height * (row_size + 1), "wrong amount of data"
    for y in range(height):
        kind, *line = raw[y * (row_size + 1):(y + 1) * (row_size + 1)]
        above, row = rows[-1], bytearray(line)
        for i in range(row_size):
            left, up, corner = (row[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
            guess = left + up - corner
            paeth = min((left, up, corner), key=lambda value: abs(guess - value))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append(bytes(row))
    return b"".join(rows[1:])


def frames(found):
    header = found[0][1]
    (count, plays), sequence, packed = struct.unpack(">II", dict(found)[b"acTL"]), 0, []
    for kind, body in found:
        if kind in (b"fcTL", b"fdAT"):
            assert struct.unpack(">I", body[:4])[0] == sequence, "wrong sequence number"
            sequence += 1
        if kind == b"fcTL":
            assert struct.unpack(">II", body[4:12]) == struct.unpack(">II", header[:8]), "a frame of another size"
            packed.append(b"")
        elif kind in (b"IDAT", b"fdAT"):
            assert (kind == b"IDAT") == (len(packed) == 1), "the wrong kind of data"
            packed[-1] += body if kind == b"IDAT" else body[4:]
    assert count == len(packed) and plays == 0, "another number of frames"
    return [decode(header, one) for one in packed]


def main():
    still = []
    for path in sys.argv[2:]:
        found = chunks(path)
        still.append(decode(found[0][1], b"".join(body for kind, body in found if kind == b"IDAT")))
    assert frames(chunks(sys.argv[1])) == still, "other pixels"
    assert len(set(still)) > 1, "nothing moves"


if __name__ == "__main__":
    main()
