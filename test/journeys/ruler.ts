/**
 * A font in which every sign is the same box. Pages set in it look the same on every machine,
 * whatever fonts it has and however its browser smooths them, so their pictures can be compared.
 * Made here, table by table (OpenType 1.9), because it is a few hundred bytes.
 */

/** Font units. 1000 are one em. */
export type Metrics = {
  readonly advance: number
  readonly ascent: number
  readonly descent: number
  /** The height of the box, about that of small letters. */
  readonly height: number
}

const UNITS = 1000
/** About the measures of common text fonts. */
export const REGULAR: Metrics = { advance: 540, ascent: 930, descent: 240, height: 560 }
/** Flatter and narrower than text fonts, which shows targets that have their size from the font. */
export const FLAT: Metrics = { advance: 334, ascent: 720, descent: 180, height: 480 }
/** The empty space on each side of the box, in font units. */
const BEARING = 50

type Box = {
  readonly left: number
  readonly bottom: number
  readonly right: number
  readonly top: number
}

const u16 = (...values: number[]): number[] =>
  values.flatMap((value) => [(value >> 8) & 0xff, value & 0xff])
const u32 = (...values: number[]): number[] =>
  values.flatMap((value) => [
    (value >>> 24) & 0xff,
    (value >>> 16) & 0xff,
    (value >>> 8) & 0xff,
    value & 0xff,
  ])
const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0))

/** One contour of four corners, all on the curve. */
function box({ left, bottom, right, top }: Box): number[] {
  const across = [left, 0, right - left, 0]
  const up = [bottom, top - bottom, 0, bottom - top]
  return [
    ...u16(1, left, bottom, right, top, 3, 0),
    1,
    1,
    1,
    1,
    ...u16(...across.map((step) => step & 0xffff)),
    ...u16(...up.map((step) => step & 0xffff)),
  ]
}

/** Many signs to one glyph (format 13): spaces to the empty one, all others to the box. */
function characters(): number[] {
  const groups = [
    [0x00, 0x20, 2],
    [0x21, 0x9f, 1],
    [0xa0, 0xa0, 2],
    [0xa1, 0x1fff, 1],
    [0x2000, 0x200f, 2],
    [0x2010, 0x10ffff, 1],
  ]
  return [
    ...u16(0, 1, 3, 10),
    ...u32(12),
    ...u16(13, 0),
    ...u32(16 + groups.length * 12, 0, groups.length),
    ...groups.flatMap((group) => u32(...group)),
  ]
}

function names(): number[] {
  const texts = [
    [1, 'Ruler'],
    [2, 'Regular'],
    [4, 'Ruler'],
    [6, 'Ruler'],
  ] as const
  const parts = texts.map(([id, text]) => ({
    id,
    bytes: [...text].flatMap((letter) => u16(letter.charCodeAt(0))),
  }))
  let at = 0
  const rows = parts.flatMap(({ id, bytes }) => {
    const row = u16(3, 1, 0x409, id, bytes.length, at)
    at += bytes.length
    return row
  })
  return [
    ...u16(0, parts.length, 6 + parts.length * 12),
    ...rows,
    ...parts.flatMap(({ bytes }) => bytes),
  ]
}

/** The font as a TrueType file. Its family is `Ruler`. */
export function rulerFont({
  advance,
  ascent,
  descent,
  height,
}: Metrics = REGULAR): Uint8Array<ArrayBuffer> {
  const corners: Box = { left: BEARING, bottom: 0, right: advance - BEARING, top: height }
  const glyph = box(corners)
  const tables: [string, number[]][] = [
    [
      'OS/2',
      [
        ...u16(4, advance, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0),
        ...Array.from({ length: 10 }, () => 0),
        ...u32(0, 0, 0, 0),
        ...ascii('RULE'),
        ...u16(0x40, 0x20, 0xffff, ascent, -descent & 0xffff, 0, ascent, descent),
        ...u32(1, 0),
        ...u16(height, 700, 0, 0x20, 0),
      ],
    ],
    ['cmap', characters()],
    ['glyf', glyph],
    [
      'head',
      [
        ...u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
        ...u16(3, UNITS),
        ...u32(0, 0, 0, 0),
        ...u16(corners.left, corners.bottom, corners.right, corners.top, 0, 8, 2, 1, 0),
      ],
    ],
    [
      'hhea',
      [
        ...u32(0x10000),
        ...u16(
          ascent,
          -descent & 0xffff,
          0,
          advance,
          corners.left,
          advance - corners.right,
          corners.right,
          1,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          3,
        ),
      ],
    ],
    ['hmtx', u16(advance, BEARING, advance, BEARING, advance, 0)],
    // The first glyph is for what has no other, the last is empty.
    ['loca', u32(0, 0, glyph.length, glyph.length)],
    ['maxp', [...u32(0x10000), ...u16(3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]],
    ['name', names()],
    ['post', [...u32(0x30000, 0), ...u16(-100 & 0xffff, 50), ...u32(1, 0, 0, 0, 0)]],
  ]
  const padded = (bytes: number[]): number[] => [
    ...bytes,
    ...Array.from({ length: (4 - (bytes.length % 4)) % 4 }, () => 0),
  ]
  const sum = (bytes: number[]): number => {
    const all = padded(bytes)
    let total = 0
    for (let at = 0; at < all.length; at += 4)
      total =
        (total +
          (((all[at] ?? 0) << 24) |
            ((all[at + 1] ?? 0) << 16) |
            ((all[at + 2] ?? 0) << 8) |
            (all[at + 3] ?? 0))) >>>
        0
    return total
  }
  let at = 12 + tables.length * 16
  const rows: number[] = []
  const bodies: number[] = []
  for (const [tag, bytes] of tables) {
    rows.push(...ascii(tag), ...u32(sum(bytes), at, bytes.length))
    bodies.push(...padded(bytes))
    at += padded(bytes).length
  }
  return new Uint8Array([
    ...u32(0x10000),
    ...u16(tables.length, 128, 3, tables.length * 16 - 128),
    ...rows,
    ...bodies,
  ])
}
