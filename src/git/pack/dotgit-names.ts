/**
 * Recognizes names in trees that a file system treats as `.git` or as a file that git reads. The
 * rules are those of git's `is_hfs_dotgit`, `is_ntfs_dotgit` and their relatives (utf8.c, path.c).
 */

/** Characters that HFS+ ignores when it compares names. */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** The file that a name is equivalent to, without the leading dot; null for ordinary names. */
export type SpecialName = 'git' | 'gitmodules' | 'gitattributes' | 'gitignore' | 'mailmap' | null

/**
 * NTFS short names: the first six characters, a tilde and a number. When those are taken, NTFS uses
 * two characters and four hex digits of a hash.
 */
const NTFS_SHORT_NAMES: readonly {
  name: Exclude<SpecialName, null | 'git'>
  stem: string
  hash: string
}[] = [
  { name: 'gitmodules', stem: 'gitmod', hash: 'gi7eba' },
  { name: 'gitattributes', stem: 'gitatt', hash: 'gi7d29' },
  { name: 'gitignore', stem: 'gitign', hash: 'gi250a' },
  { name: 'mailmap', stem: 'mailma', hash: 'maba30' },
]

/**
 * Whether a byte makes a name suspect at any position: a tilde, an NTFS separator or stream mark,
 * or a byte beyond ASCII. A dot is suspect only at the front and is tested by the caller.
 */
export const isSuspectByte = (byte: number): boolean =>
  byte >= 0x7e || byte === 0x5c || byte === 0x3a

/** Returns the file that the name is equivalent to on HFS+, on NTFS or literally. */
export function specialDotName(bytes: Uint8Array, from: number, to: number): SpecialName {
  const text = decoder.decode(bytes.subarray(from, to))
  const plain = text.replace(HFS_IGNORED, '').toLowerCase()
  const hfs = matchDotName(plain)
  if (hfs !== null) return hfs
  // NTFS ends a name at a separator or stream mark and drops dots and spaces before it.
  for (const part of text.toLowerCase().split('\\')) {
    const ntfs = part.split(':')[0]!.replace(/(?<![. ])[. ]+$/, '')
    const found = matchDotName(ntfs)
    if (found !== null) return found
    if (ntfs === 'git~1') return 'git'
    for (const { name, stem, hash } of NTFS_SHORT_NAMES) {
      if (new RegExp(`^${stem}~[1-4]$`).test(ntfs) || isHashedShortName(ntfs, hash)) return name
    }
  }
  return null
}

function matchDotName(name: string): SpecialName {
  switch (name) {
    case '.git':
      return 'git'
    case '.gitmodules':
      return 'gitmodules'
    case '.gitattributes':
      return 'gitattributes'
    case '.gitignore':
      return 'gitignore'
    case '.mailmap':
      return 'mailmap'
    default:
      return null
  }
}

/**
 * Whether a name is a hashed short name: eight characters such as `gi7eba~1`, or `gi7eb~12` with a
 * longer number.
 */
function isHashedShortName(name: string, hash: string): boolean {
  const tilde = name.indexOf('~')
  if (tilde < 2 || name.length !== 8 || tilde > 6) return false
  return name.slice(0, tilde) === hash.slice(0, tilde) && /^[1-9]\d*$/.test(name.slice(tilde + 1))
}
