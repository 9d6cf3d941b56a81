/**
 * Names in trees that some file system takes for `.git` or for a file that git obeys. The rules are
 * those of git's `is_hfs_dotgit`, `is_ntfs_dotgit` and their relatives (utf8.c, path.c).
 */

/** Characters that HFS+ leaves out of names when it compares them. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** What a suspicious name stands for. */
export type SpecialName = 'git' | 'gitmodules' | 'gitattributes' | 'gitignore' | 'mailmap' | null

/**
 * NTFS short names are the first six characters and a number, or four digits of a hash where those
 * are taken.
 */
const SHORT: readonly { name: Exclude<SpecialName, null | 'git'>; stem: string; hash: string }[] = [
  { name: 'gitmodules', stem: 'gitmod', hash: 'gi7eba' },
  { name: 'gitattributes', stem: 'gitatt', hash: 'gi7d29' },
  { name: 'gitignore', stem: 'gitign', hash: 'gi250a' },
  { name: 'mailmap', stem: 'mailma', hash: 'maba30' },
]

/**
 * Whether a byte makes a name suspect wherever it stands: tildes, separators and streams of NTFS,
 * and what is beyond ASCII. A dot does so at the front only.
 */
export const isOdd = (byte: number): boolean => byte >= 0x7e || byte === 0x5c || byte === 0x3a

/** What the name stands for on HFS+ or NTFS, or as it is. */
export function specialName(bytes: Uint8Array, from: number, to: number): SpecialName {
  const text = decoder.decode(bytes.subarray(from, to))
  const plain = text.replace(IGNORED, '').toLowerCase()
  const hfs = exact(plain)
  if (hfs !== null) return hfs
  // NTFS ends a name at a separator or a stream, and drops dots and spaces before that.
  for (const part of text.toLowerCase().split('\\')) {
    const ntfs = part.split(':')[0]!.replace(/[. ]+$/, '')
    const found = exact(ntfs)
    if (found !== null) return found
    if (ntfs === 'git~1') return 'git'
    for (const { name, stem, hash } of SHORT) {
      if (new RegExp(`^${stem}~[1-4]$`).test(ntfs) || isHashed(ntfs, hash)) return name
    }
  }
  return null
}

function exact(name: string): SpecialName {
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

/** Names of eight characters like `gi7eba~1` or, with longer numbers, `gi7eb~12`. */
function isHashed(name: string, hash: string): boolean {
  const tilde = name.indexOf('~')
  if (tilde < 2 || name.length !== 8 || tilde > 6) return false
  return name.slice(0, tilde) === hash.slice(0, tilde) && /^[1-9]\d*$/.test(name.slice(tilde + 1))
}
