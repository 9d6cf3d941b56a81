/**
 * Code owners: a file that maps path patterns to the people and teams who own the matching files.
 * The last rule that matches a path wins. A rule without owners removes ownership. Patterns follow
 * gitignore (https://git-scm.com/docs/gitignore), without negation and character classes.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Git, Oid } from '#git'
import { cache } from '#core/service.ts'
import { trimSlashes } from '#lib/trim-slashes.ts'
import { SMALL_ENTRY_BYTES } from '#lib/cache.ts'
import { nextTurn } from '#lib/waiting.ts'

/** Possible locations of the file. The first that exists is used. */
const CODEOWNERS_PATHS = [
  'CODEOWNERS',
  '.hearth/CODEOWNERS',
  '.github/CODEOWNERS',
  'docs/CODEOWNERS',
]
const MAX_FILE_BYTES = 256 * 1024
const MAX_RULES = 2_000
/** PATH_MAX of Linux: no file has a longer path. */
const MAX_PATTERN_LENGTH = 4096
/** With hundreds of owners. */
const MAX_LINE_LENGTH = 16_384

export type OwnerRule = {
  readonly line: number
  readonly pattern: string
  /** `@username`, `@workspace/team` or an email address, as written. */
  readonly owners: readonly string[]
}

export type CodeOwners = { readonly file: string; readonly rules: readonly OwnerRule[] }

/** Parses the rules of a file. Comments are skipped, as are lines that are no rule. */
export function parseCodeOwners(text: string): OwnerRule[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.length > MAX_LINE_LENGTH) return []
    const words = line.replace(/\s#.*$/, '').match(/(?:\\.|[^\s\\])+/g) ?? []
    const [pattern = '', ...owners] = words
    if (
      pattern.length > MAX_PATTERN_LENGTH ||
      pattern.startsWith('!') ||
      owners.some((owner) => !/^(@[\w.-]+(\/[\w.-]+)?|[^@\s]+@[^@\s]+)$/.test(owner))
    )
      return []
    return [{ line: index + 1, pattern, owners }]
  })
}

/**
 * Whether one path segment matches one pattern segment. `*` matches any run of characters and `?`
 * matches one. Takes time linear in both lengths for each star.
 */
function matchesSegment(pattern: string, part: string): boolean {
  let [p, i, star, from] = [0, 0, -1, 0]
  while (i < part.length) {
    const literal = pattern[p] === '\\' ? pattern[p + 1] : pattern[p]
    if (pattern[p] === '*') {
      star = p++
      from = i
    } else if (p < pattern.length && (pattern[p] === '?' || literal === part[i])) {
      p += pattern[p] === '\\' ? 2 : 1
      i++
    } else if (star >= 0) {
      p = star + 1
      i = ++from
    } else return false
  }
  while (pattern[p] === '*') p++
  return p >= pattern.length
}

/**
 * Whether a pattern matches a file by its path, by its name at any depth, or by a directory above
 * it.
 */
export function patternMatchesPath(pattern: string, path: string): boolean {
  const onlyDirectory = pattern.endsWith('/')
  const trimmed = trimSlashes(pattern)
  const anchored = pattern.startsWith('/') || trimmed.includes('/')
  // Consecutive `**` match the same as one, and a long run of them would take quadratic time.
  const segments = [...(anchored ? [] : ['**']), ...trimmed.split('/')].filter(
    (segment, index, all) => segment !== '**' || all[index - 1] !== '**',
  )
  const parts = path.split('/')
  // `docs/*` matches the files in docs, but not the files in folders below it.
  const below = segments.at(-1) !== '*' || !anchored || onlyDirectory
  /** The numbers of leading path segments that the pattern matches so far. */
  let fits = new Set([0])
  for (const segment of segments) {
    const next = new Set<number>()
    if (segment === '**')
      for (let end = Math.min(...fits); end <= parts.length; end++) next.add(end)
    else
      for (const at of fits)
        if (at < parts.length && matchesSegment(segment, parts[at] ?? '')) next.add(at + 1)
    if (next.size === 0) return false
    fits = next
  }
  return [...fits].some((end) => (end === parts.length ? !onlyDirectory : end > 0 && below))
}

/** Returns the owners of the last rule that matches a path; an empty list when no rule does. */
export const ownersOfPath = (rules: readonly OwnerRule[], path: string): readonly string[] =>
  rules.findLast(({ pattern }) => patternMatchesPath(pattern, path))?.owners ?? []

/**
 * The event loop runs other work after this many matches, because thousands of paths and rules
 * would block it.
 */
const MATCHES_PER_TURN = 5_000

/** Returns the owners of any of these paths, each owner once. */
export async function ownersOf(
  { rules }: CodeOwners,
  paths: readonly string[],
): Promise<readonly string[]> {
  const owners = new Set<string>()
  let matches = 0
  for (const path of paths) {
    for (const owner of ownersOfPath(rules, path)) owners.add(owner)
    matches += rules.length
    if (matches < MATCHES_PER_TURN) continue
    matches = 0
    await nextTurn()
  }
  return [...owners]
}

/**
 * By store and commit. After a push to a base branch, all of its pull requests read the same file.
 * A rule takes about 200 bytes.
 */
const codeOwnersCache = cache<{ readonly codeOwners: CodeOwners | null }>('code_owners', {
  maxSize: 20_000 * SMALL_ENTRY_BYTES,
  sizeOf: ({ codeOwners }) => (1 + (codeOwners?.rules.length ?? 0)) * SMALL_ENTRY_BYTES,
})

/** Reads the code owners file of a commit; null when it has none. */
export async function readCodeOwners(
  hearth: Pick<Hearth, 'git' | 'services'>,
  store: string,
  commit: Oid,
): Promise<CodeOwners | null> {
  const key = `${store} ${commit}`
  const cache = codeOwnersCache(hearth)
  const cached = cache.get(key)
  if (cached) return cached.codeOwners
  const codeOwners = await readFile(hearth.git, store, commit)
  cache.set(key, { codeOwners })
  return codeOwners
}

async function readFile(git: Git, store: string, commit: Oid): Promise<CodeOwners | null> {
  for (const file of CODEOWNERS_PATHS) {
    const entry = await git.findEntry(store, commit, file)
    if (entry?.type !== 'file') continue
    const blob = await git.readBlob(store, entry.oid, MAX_FILE_BYTES)
    if (blob)
      return {
        file,
        rules: parseCodeOwners(new TextDecoder().decode(blob.data)).slice(0, MAX_RULES),
      }
  }
  return null
}
