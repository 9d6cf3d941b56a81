/**
 * Parses and serializes commits, trees and tags, and computes object ids. Follows
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects, and git's `fsck` for what is well
 * formed.
 */
import { bytesToHex } from '#lib/byte-text.ts'
import {
  GitError,
  type Commit,
  type ObjectType,
  type Oid,
  type Signature,
  type Tag,
} from './ports.ts'

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
const encoder = new TextEncoder()

export const ZERO_OID: Oid = '0'.repeat(40)
/** The empty tree, which git knows without storing it. */
export const EMPTY_TREE: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
/** The empty blob. */
export const EMPTY_BLOB: Oid = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

export const isOid = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** The id of an object: SHA-1 of `<type> <size>\0<content>`. */
export function hashObject(type: ObjectType, data: Uint8Array): Oid {
  const hasher = new Bun.CryptoHasher('sha1')
  hasher.update(`${type} ${data.byteLength}\0`)
  hasher.update(data)
  return hasher.digest('hex')
}

export function oidToBytes(oid: Oid): Uint8Array {
  return Buffer.from(oid, 'hex')
}

/** Many ids, 20 bytes each. One string for all: converting them one by one takes ten times as long. */
export const oidsToBytes = (oids: readonly Oid[]): Uint8Array => Buffer.from(oids.join(''), 'hex')

export function bytesToOid(bytes: Uint8Array, offset = 0): Oid {
  return bytesToHex(bytes, offset, offset + 20)
}

/** The ids of raw ones, 20 bytes each. */
export const bytesToOids = (ids: Uint8Array): Oid[] =>
  Array.from({ length: Math.floor(ids.length / 20) }, (_, n) => bytesToOid(ids, n * 20))

/** The places of raw ids, of which each has 20 bytes. */
export function* placesOfIds(ids: Uint8Array): Generator<number> {
  for (let at = 0; at < ids.length; at += 20) yield at
}

/** A raw entry of a tree. `name` has its original bytes, which need not be UTF-8. */
export type RawTreeEntry = { readonly mode: number; readonly name: Uint8Array; readonly oid: Oid }

export const MODE = {
  dir: 0o040000,
  file: 0o100644,
  executable: 0o100755,
  symlink: 0o120000,
  submodule: 0o160000,
} as const

/** All entries of a tree in stored order. Throws GitError `corrupt` for truncated content. */
export function parseTree(data: Uint8Array): RawTreeEntry[] {
  const entries: RawTreeEntry[] = []
  let at = 0
  while (at < data.length) {
    let mode = 0
    while (at < data.length && data[at] !== 0x20) {
      const digit = data[at]! - 0x30
      if (digit < 0 || digit > 7) throw new GitError('corrupt', 'tree entry has a malformed mode')
      mode = mode * 8 + digit
      at++
    }
    const start = ++at
    while (at < data.length && data[at] !== 0) at++
    if (at + 21 > data.length) throw new GitError('corrupt', 'tree entry is truncated')
    entries.push({ mode, name: data.subarray(start, at), oid: bytesToOid(data, at + 1) })
    at += 21
  }
  return entries
}

/**
 * Git's order of tree entries: by bytes of the names, with a slash after those of directories
 * (`base_name_compare`).
 */
export function compareTreeEntries(
  a: { mode: number; name: Uint8Array },
  b: { mode: number; name: Uint8Array },
): number {
  const length = Math.min(a.name.length, b.name.length)
  for (let i = 0; i < length; i++) {
    const difference = a.name[i]! - b.name[i]!
    if (difference !== 0) return difference
  }
  const ca = a.name.length > length ? a.name[length]! : a.mode === MODE.dir ? 0x2f : 0
  const cb = b.name.length > length ? b.name[length]! : b.mode === MODE.dir ? 0x2f : 0
  return ca - cb
}

/** Serializes a tree, with its entries in git's order. */
export function serializeTree(entries: readonly RawTreeEntry[]): Uint8Array {
  const sorted = [...entries].sort(compareTreeEntries)
  const parts: Uint8Array[] = []
  for (const entry of sorted) {
    parts.push(
      encoder.encode(`${entry.mode.toString(8)} `),
      entry.name,
      new Uint8Array(1),
      oidToBytes(entry.oid),
    )
  }
  return Buffer.concat(parts)
}

/**
 * Commits and tags may have 32 MiB. What is read for pages and answers is cut: the message after
 * this many bytes, names and addresses after this many characters.
 */
const MAX_MESSAGE_BYTES = 1 << 16
const MAX_IDENTITY_LENGTH = 1000

/**
 * The bytes up to the maximum length of the message, which ends at a whole character. Returns the
 * same bytes when nothing is cut.
 */
function cutMessage(data: Uint8Array): Uint8Array {
  if (data.length <= MAX_MESSAGE_BYTES) return data
  const head = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf('\n\n')
  let end = head < 0 ? data.length : head + 2 + MAX_MESSAGE_BYTES
  if (end >= data.length) return data
  while (end > head && (data[end]! & 0xc0) === 0x80) end--
  return data.subarray(0, end)
}

/** Parses an identity line `Name <email> 1700000000 +0100`. A malformed one has empty parts. */
export function parseSignature(line: string): Signature {
  const open = line.lastIndexOf('<')
  const close = line.indexOf('>', open + 1)
  if (open < 0 || close < 0) return { name: cutIdentity(line), email: '', time: 0, zone: '+0000' }
  const [time = '0', zone = '+0000'] = line
    .slice(close + 1)
    .trim()
    .split(' ')
  const seconds = Number(time)
  return {
    name: cutIdentity(line.slice(0, open)),
    email: cutIdentity(line.slice(open + 1, close)),
    time: Number.isSafeInteger(seconds) ? seconds : 0,
    zone: /^[+-]\d{4}$/.test(zone) ? zone : '+0000',
  }
}

const cutIdentity = (text: string): string => text.trim().slice(0, MAX_IDENTITY_LENGTH)

/**
 * Removes the characters that git strips from names and addresses, and those that would end the
 * line or address.
 */
const stripCrud = (text: string): string =>
  text.replace(/[\0\n<>]/g, '').replace(/^[\s.,:;"'\\]+|(?<![\s.,:;"'\\])[\s.,:;"'\\]+$/g, '')

export function formatSignature(signature: Signature): string {
  const name = stripCrud(signature.name) || 'unknown'
  const time = Math.trunc(signature.time)
  return `${name} <${stripCrud(signature.email)}> ${time} ${signature.zone}`
}

/** The headers of a commit or tag with continuation lines joined, and the message. */
function parseHeaders(data: Uint8Array): { headers: [string, string][]; message: string } {
  const text = decoder.decode(data)
  const end = text.indexOf('\n\n')
  const head = end < 0 ? text.replace(/\n$/, '') : text.slice(0, end)
  const headers: [string, string][] = []
  for (const line of head.split('\n')) {
    const last = headers.at(-1)
    if (line.startsWith(' ') && last) last[1] += `\n${line.slice(1)}`
    else {
      const space = line.indexOf(' ')
      headers.push(space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)])
    }
  }
  return { headers, message: end < 0 ? '' : text.slice(end + 2) }
}

/**
 * The signed bytes of a commit: without signature headers (git's `parse_buffer_signed_by_header`).
 */
function withoutSignatures(data: Uint8Array): Uint8Array {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  const head = bytes.indexOf('\n\n')
  const end = head < 0 ? bytes.length : head + 1
  const kept: Uint8Array[] = []
  let skipping = false
  for (let at = 0; at < end; ) {
    const next = bytes.indexOf(0x0a, at) + 1 || end
    if (bytes[at] !== 0x20)
      skipping = bytes.subarray(at, next).toString('latin1').startsWith('gpgsig')
    if (!skipping) kept.push(bytes.subarray(at, next))
    at = next
  }
  return Buffer.concat([...kept, bytes.subarray(end)])
}

const isCut = (shown: Uint8Array, data: Uint8Array, armored: string): boolean =>
  shown !== data || armored.length > MAX_MESSAGE_BYTES

/**
 * Throws GitError `corrupt` when the tree is missing. A missing identity, as in some old history,
 * is empty. A commit whose message is cut has no signature, because signing covers all of it.
 */
export function parseCommit(oid: Oid, data: Uint8Array): Commit {
  const shown = cutMessage(data)
  const { headers, message } = parseHeaders(shown)
  const first = (key: string) => headers.find(([name]) => name === key)?.[1]
  const tree = first('tree')
  const author = first('author')
  const committer = first('committer')
  const armored = first('gpgsig')
  if (!tree || !isOid(tree)) throw new GitError('corrupt', `commit ${oid} lacks a tree`)
  return {
    oid,
    tree,
    parents: headers.filter(([name]) => name === 'parent').map(([, value]) => value),
    author: parseSignature(author ?? ''),
    committer: parseSignature(committer ?? ''),
    message,
    signature:
      armored === undefined || isCut(shown, data, armored)
        ? null
        : { armored, signed: withoutSignatures(data) },
  }
}

export function serializeCommit(commit: Omit<Commit, 'oid' | 'signature'>): Uint8Array {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${formatSignature(commit.author)}`,
    `committer ${formatSignature(commit.committer)}`,
  ]
  const message = commit.message.replaceAll('\0', '')
  return encoder.encode(
    `${lines.join('\n')}\n\n${message.endsWith('\n') ? message : `${message}\n`}`,
  )
}

/** Throws GitError `corrupt` when the object or type is missing. */
export function parseTag(oid: Oid, whole: Uint8Array): Tag {
  const data = cutMessage(whole)
  const { headers, message } = parseHeaders(data)
  const first = (key: string) => headers.find(([name]) => name === key)?.[1]
  const object = first('object')
  const type = first('type')
  if (!object || !isOid(object) || !type || !['commit', 'tree', 'blob', 'tag'].includes(type)) {
    throw new GitError('corrupt', `tag ${oid} lacks an object or its type`)
  }
  const tagger = first('tagger')
  const at = signatureAt(data)
  return {
    oid,
    object,
    type: type as ObjectType,
    name: cutIdentity(first('tag') ?? ''),
    tagger: tagger === undefined ? null : parseSignature(tagger),
    message:
      at === data.length
        ? message
        : message.slice(0, Math.max(0, message.length - decoder.decode(data.subarray(at)).length)),
    signature:
      at === data.length
        ? null
        : {
            armored: decoder.decode(data.subarray(at)),
            signed: new Uint8Array(data.subarray(0, at)),
          },
  }
}

/** The first lines of signatures of all kinds (`gpg_format` in git's gpg-interface.c). */
const SIGNATURES = [
  '-----BEGIN PGP SIGNATURE-----',
  '-----BEGIN PGP MESSAGE-----',
  '-----BEGIN SIGNED MESSAGE-----',
  '-----BEGIN SSH SIGNATURE-----',
]

/**
 * The offset of a tag's signature; the length of the tag when there is none. It is the last line
 * that begins a signature, because a message may quote one (git's `parse_signed_buffer`).
 */
function signatureAt(data: Uint8Array): number {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
  const body = bytes.indexOf('\n\n')
  let last = -1
  for (const begin of body < 0 ? [] : SIGNATURES) {
    for (
      let at = bytes.lastIndexOf(begin);
      at > last && at >= body + 2;
      at = bytes.lastIndexOf(begin, at - 1)
    )
      if (bytes[at - 1] === 0x0a) last = at
  }
  return last < 0 ? data.length : last
}

export function serializeTag(tag: {
  object: Oid
  type: ObjectType
  name: string
  tagger: Signature
  message: string
}): Uint8Array {
  const message = tag.message.replaceAll('\0', '')
  const lines = [
    `object ${tag.object}`,
    `type ${tag.type}`,
    `tag ${tag.name}`,
    `tagger ${formatSignature(tag.tagger)}`,
  ]
  return encoder.encode(
    `${lines.join('\n')}\n\n${message.endsWith('\n') ? message : `${message}\n`}`,
  )
}
