/**
 * TypeIDs (https://github.com/jetify-com/typeid, specification 0.3): `<prefix>_<26 characters>`,
 * the characters being a UUID version 7 (RFC 9562 section 5.7) in Crockford base32, so that ids
 * sort by the time they were made.
 */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const VALUES = new Map([...ALPHABET].map((letter, value) => [letter, value]))

/** 26 characters for 16 bytes; the first carries the top three bits, so it is `0` to `7`. */
export function encodeSuffix(bytes: Uint8Array): string {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = ALPHABET[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}

/** The 16 bytes of a suffix; null when it is not one. */
export function decodeSuffix(suffix: string): Uint8Array | null {
  if (suffix.length !== 26 || suffix[0]! > '7') return null
  let value = 0n
  for (const letter of suffix) {
    const digit = VALUES.get(letter)
    if (digit === undefined) return null
    value = (value << 5n) | BigInt(digit)
  }
  const bytes = new Uint8Array(16)
  for (let i = 15; i >= 0; i--) {
    bytes[i] = Number(value & 255n)
    value >>= 8n
  }
  return bytes
}

let lastMillisecond = 0
let sequence = 0

/** Forgets how far ids have been counted: for tests, each of which has a time of its own. */
export function beginIdsAnew(): void {
  lastMillisecond = 0
  sequence = 0
}

/**
 * A new UUID version 7 for a time in milliseconds. Ids of one millisecond go up as well: the 12
 * bits after the time are a counter (RFC 9562 section 6.2, method 1), so the order of making is the
 * order of sorting within this process.
 */
export function uuidv7(now: number): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  if (now > lastMillisecond) {
    lastMillisecond = now
    sequence = ((bytes[6]! & 0x07) << 8) | bytes[7]!
  } else if (++sequence > 0xfff) {
    lastMillisecond++
    sequence = 0
  }
  let rest = lastMillisecond
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  bytes[6] = 0x70 | (sequence >> 8)
  bytes[7] = sequence & 255
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes
}

/** The end of the year 9999. */
const LATEST = 253_402_300_799_999

/**
 * From now on ids sort after this one, whatever the clock says: for what was written before a clock
 * was set back. Text that is no id changes nothing.
 */
export function continueAfter(id: string): void {
  const at = timeOf(id)
  // Nothing that was ever right is later than that, and counting on from there would come to an
  // end.
  if (at === null || at < lastMillisecond || at > LATEST) return
  lastMillisecond = at + 1
  sequence = 0
}

/** Every prefix in use, with the kind of thing it names. */
export const PREFIXES = {
  usr: 'user',
  wsp: 'workspace',
  rep: 'repository',
  pr: 'pull request',
  iss: 'issue',
  cmt: 'comment',
  rvw: 'review',
  lbl: 'label',
  mls: 'milestone',
  team: 'team',
  tok: 'token',
  key: 'SSH, signing or deploy key',
  inv: 'invitation',
  ivt: 'sign-up invite',
  app: 'approved application',
  set: 'variable or secret row',
  wfl: 'workflow',
  run: 'run',
  job: 'workflow job',
  art: 'artifact',
  cac: 'cache',
  rnr: 'runner',
  env: 'environment',
  dpl: 'deployment',
  sts: 'commit status',
  chk: 'acceptance check run',
  mqe: 'merge queue entry',
  pkg: 'package',
  pkv: 'package version',
  rel: 'release',
  ast: 'release asset',
  rmt: 'mirror link',
  imp: 'import',
  rs: 'ruleset',
  rse: 'rule evaluation',
  vrp: 'vulnerability report',
  adv: 'advisory',
  ana: 'code scanning analysis',
  sar: 'SARIF upload',
  csa: 'code scanning alert',
  sec: 'secret alert',
  dpa: 'dependency alert',
  evt: 'event',
  whk: 'webhook',
  dlv: 'delivery',
  mem: 'memory',
  pln: 'plan',
  itg: 'integration',
  agt: 'agent',
  qst: 'question to an agent',
  prj: 'project',
  ntf: 'notification',
  aud: 'audit entry',
  bkp: 'backup',
  sgn: 'website sign-in',
  bgj: 'background job',
  ckr: 'run of checks',
} as const

export type Prefix = keyof typeof PREFIXES
export type TypeId<P extends Prefix = Prefix> = `${P}_${string}`

export const typeId = <P extends Prefix>(prefix: P, now: number): TypeId<P> =>
  `${prefix}_${encodeSuffix(uuidv7(now))}`

/**
 * Splits any TypeID; null when it is malformed. A prefix is at most 63 of `a-z` and `_`, not
 * beginning or ending in `_`.
 */
export function parseTypeId(text: string): { prefix: string; bytes: Uint8Array } | null {
  const cut = text.lastIndexOf('_')
  if (cut === 0) return null
  const prefix = cut < 0 ? '' : text.slice(0, cut)
  if (prefix !== '' && !/^[a-z]([a-z_]{0,61}[a-z])?$/.test(prefix)) return null
  const bytes = decodeSuffix(text.slice(cut + 1))
  return bytes && { prefix, bytes }
}

/**
 * The time in milliseconds that an id was made at, or that ids had counted on to by then; null for
 * text that is no id.
 */
export function timeOf(id: string): number | null {
  const bytes = decodeSuffix(id.slice(id.lastIndexOf('_') + 1))
  return bytes && bytes.subarray(0, 6).reduce((time, byte) => time * 256 + byte, 0)
}

/**
 * The least id of a moment: those that are made from then on sort after it, those of before do
 * before it unless a clock was set back.
 */
export function idFrom<P extends Prefix>(prefix: P, time: string): TypeId<P> {
  const bytes = new Uint8Array(16)
  for (
    let at = 5, rest = Math.max(0, Date.parse(time));
    at >= 0;
    at--, rest = Math.floor(rest / 256)
  )
    bytes[at] = rest % 256
  return `${prefix}_${encodeSuffix(bytes)}`
}

export function isTypeId<P extends Prefix>(text: string, prefix: P): text is TypeId<P> {
  return text.startsWith(`${prefix}_`) && decodeSuffix(text.slice(prefix.length + 1)) !== null
}
