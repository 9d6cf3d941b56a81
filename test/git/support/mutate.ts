/**
 * Packs as an enemy sends them: real ones, changed at random, from one byte to their whole
 * structure.
 */
import zlib from 'node:zlib'
import {
  typeCode,
  writeBaseDistance,
  writeEntryHeader,
} from '../../../src/git/pack/entry-header.ts'
import {
  commitText,
  idOf,
  insertDelta,
  makePack,
  treeBytes,
  varint,
  type MadeEntry,
} from './packs.ts'

export type Numbers = () => number

/** Puts the right checksum at the end, so that what is wrong before it is looked at. */
export const sealed = (bytes: Uint8Array): Buffer => {
  const body = Buffer.from(bytes.subarray(0, Math.max(0, bytes.length - 20)))
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

const below = (next: Numbers, n: number): number => Math.floor(next() * n)
const noise = (next: Numbers, size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, () => below(next, 256)))

/** Each gives a pack out of a real one. */
const CHANGES: Readonly<Record<string, (pack: Buffer, next: Numbers) => Uint8Array>> = {
  'a bit': (pack, next) => {
    const out = Buffer.from(pack)
    out[below(next, out.length)]! ^= 1 << below(next, 8)
    return next() < 0.5 ? out : sealed(out)
  },
  'some bytes': (pack, next) => {
    const out = Buffer.from(pack)
    for (let i = 1 + below(next, 8); i > 0; i--)
      out[12 + below(next, out.length - 32)] = below(next, 256)
    return sealed(out)
  },
  'cut off': (pack, next) => {
    const out = pack.subarray(0, below(next, pack.length))
    return next() < 0.5 || out.length < 32 ? out : sealed(out)
  },
  'a part left out': (pack, next) => {
    const at = 12 + below(next, pack.length - 33)
    return sealed(
      Buffer.concat([
        pack.subarray(0, at),
        pack.subarray(Math.min(pack.length - 20, at + 1 + below(next, 200))),
      ]),
    )
  },
  'a part twice': (pack, next) => {
    const at = 12 + below(next, pack.length - 33)
    const end = Math.min(pack.length - 20, at + 1 + below(next, 400))
    return sealed(Buffer.concat([pack.subarray(0, end), pack.subarray(at)]))
  },
  'noise within': (pack, next) => {
    const at = 12 + below(next, pack.length - 32)
    return sealed(
      Buffer.concat([pack.subarray(0, at), noise(next, 1 + below(next, 300)), pack.subarray(at)]),
    )
  },
  'another count': (pack, next) => {
    const out = Buffer.from(pack)
    out.writeUInt32BE(
      next() < 0.5 ? Math.max(0, out.readUInt32BE(8) + below(next, 5) - 2) : below(next, 2 ** 32),
      8,
    )
    return sealed(out)
  },
  'another head': (pack, next) => {
    const out = Buffer.from(pack)
    out[below(next, 12)] = below(next, 256)
    return sealed(out)
  },
  'noise alone': (_, next) =>
    sealed(
      Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x03'), noise(next, 20 + below(next, 500))]),
    ),
}

/** A pack changed in one of these ways. */
export function changed(pack: Buffer, next: Numbers): Uint8Array {
  const ways = Object.values(CHANGES)
  // All of them need some bytes between head and checksum.
  return pack.length < 40
    ? sealed(Buffer.concat([pack, noise(next, 40)]))
    : (ways[below(next, ways.length)]?.(pack, next) ?? pack)
}

/** Entries that are wrong by themselves, in packs that are otherwise right. */
const LIES: Readonly<Record<string, (next: Numbers) => MadeEntry[]>> = {
  'a bomb': (next) => [
    { type: 'blob', data: Buffer.alloc(1 << (10 + below(next, 16))), size: below(next, 1000) },
  ],
  'a size that is not there': (next) => [
    { type: 'blob', data: 'x', size: 2 + below(next, 2 ** 31) },
  ],
  'a tree of noise': (next) => [{ type: 'tree', data: noise(next, 1 + below(next, 400)) }],
  'a commit of noise': (next) => [{ type: 'commit', data: noise(next, 1 + below(next, 400)) }],
  'a tag of noise': (next) => [
    {
      type: 'tag',
      data: Buffer.concat([
        Buffer.from(`object ${'1'.repeat(40)}\ntype `),
        noise(next, below(next, 100)),
      ]),
    },
  ],
  'a delta of noise': (next) => [
    { type: 'blob', data: 'base of it\n' },
    {
      base: idOf('blob', 'base of it\n'),
      delta: Buffer.concat([
        varint(11),
        varint(below(next, 1 << 20)),
        noise(next, 1 + below(next, 60)),
      ]),
    },
  ],
  'a delta that promises much': (next) => [
    { type: 'blob', data: 'base of it\n' },
    {
      base: idOf('blob', 'base of it\n'),
      delta: insertDelta(11, 'x', 2 ** (20 + below(next, 30))),
    },
  ],
  'a base that is nowhere': (next) => [
    { base: noise(next, 20).toString('hex'), delta: insertDelta(4, 'gone') },
  ],
  'a distance to nowhere': (next) => [
    { type: 'blob', data: 'y' },
    { distance: 1 + below(next, 2 ** 40), delta: insertDelta(1, 'z') },
  ],
  'a circle': () => {
    const ids = ['aaaa', 'bbbb', 'cccc'].map((text) => idOf('blob', text))
    return ['aaaa', 'bbbb', 'cccc'].map((text, i) => ({
      base: ids[(i + 1) % 3] ?? '',
      delta: insertDelta(4, text),
    }))
  },
  'an object twice': () => [
    { type: 'blob', data: 'twice\n' },
    { type: 'blob', data: 'twice\n' },
  ],
  'a tree of itself': () => [{ type: 'tree', data: treeBytes(['40000', 'self', '3'.repeat(40)]) }],
  'many names of one': (next) => {
    const names = Array.from(
      { length: 2 + below(next, 50) },
      () => ['100644', 'same', idOf('blob', '')] as [string, string, string],
    )
    return [
      { type: 'blob', data: '' },
      { type: 'tree', data: treeBytes(...names) },
    ]
  },
}

/** A pack with a lie and an honest commit, of which it may not become visible. */
function lie(what: string, next: Numbers): { pack: Buffer; tip: string } {
  const blob = `honest ${below(next, 1e9)}\n`
  const tree = treeBytes(['100644', 'a', idOf('blob', blob)])
  const commit = commitText(idOf('tree', tree))
  const entries: MadeEntry[] = [
    { type: 'blob', data: blob },
    { type: 'tree', data: tree },
    { type: 'commit', data: commit },
  ]
  const lies = LIES[what]?.(next) ?? []
  return {
    pack: makePack(next() < 0.5 ? [...entries, ...lies] : [...lies, ...entries]),
    tip: idOf('commit', commit),
  }
}

/** A chain of deltas, each of which doubles what the one before it gave. */
function expanding(next: Numbers): Buffer {
  const parts: Buffer[] = [Buffer.from('PACK\0\0\0\x02'), Buffer.alloc(4)]
  let size = 1024
  const head = new Uint8Array(32)
  const put = (bytes: Uint8Array, length: number, code: number, distance = 0): number => {
    let at = writeEntryHeader(head, 0, code, length)
    if (distance > 0) at = writeBaseDistance(head, at, distance)
    const packed = zlib.deflateSync(bytes)
    parts.push(Buffer.from(head.slice(0, at)), packed)
    return at + packed.length
  }
  let last = put(Buffer.alloc(size, 7), size, typeCode('blob'))
  const steps = 12 + below(next, 24)
  for (let i = 0; i < steps; i++) {
    const take = Buffer.from([0xf0, size & 0xff, (size >> 8) & 0xff, (size >> 16) & 0xff])
    const bytes = Buffer.concat([varint(size), varint(size * 2), take, take])
    last = put(bytes, bytes.length, 6, last)
    size = Math.min(size * 2, (1 << 24) - 1)
  }
  parts[1]!.writeUInt32BE(steps + 1)
  const body = Buffer.concat(parts)
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

export type Hostile = { readonly what: string; readonly pack: Uint8Array; readonly tip: string }

/** One hostile pack; `tip` is what a ref would get if it were taken. */
export function hostile(
  real: { readonly pack: Buffer; readonly tip: string },
  next: Numbers,
): Hostile {
  const kinds = [
    ...Object.keys(CHANGES),
    ...Object.keys(CHANGES),
    ...Object.keys(LIES),
    'a chain that grows',
  ]
  const what = kinds[below(next, kinds.length)] ?? ''
  const change = CHANGES[what]
  if (change) return { what, pack: change(real.pack, next), tip: real.tip }
  if (what === 'a chain that grows') return { what, pack: expanding(next), tip: real.tip }
  return { what, ...lie(what, next) }
}
