/**
 * Code owners: a file of patterns with the people and teams who answer for what matches. The last
 * rule that matches a path wins; one without owners says that nobody does. Patterns are those of
 * gitignore (https://git-scm.com/docs/gitignore), without negation and character classes.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Git, Oid } from '#git'
import { createCache } from '#lib/cache.ts'
import { nextTurn } from '#lib/waiting.ts'

/** Where the file may be; the first that is there counts. */
const PLACES = ['CODEOWNERS', '.hearth/CODEOWNERS', '.github/CODEOWNERS', 'docs/CODEOWNERS']
const LARGEST = 256 * 1024
const MOST_RULES = 2_000

export type OwnerRule = {
  readonly line: number
  readonly pattern: string
  /** `@username`, `@workspace/team` or an address, as written. */
  readonly owners: readonly string[]
}

export type CodeOwners = { readonly file: string; readonly rules: readonly OwnerRule[] }

/**
 * The rules of a file. Lines that hold no owner that could be one are left out, comments as well.
 */
export function parseCodeOwners(text: string): OwnerRule[] {
  return text.split(/\r?\n/).flatMap((raw, index) => {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) return []
    const words = line.replace(/\s#.*$/, '').match(/(?:\\.|[^\s\\])+/g) ?? []
    const [pattern = '', ...owners] = words
    if (
      pattern.startsWith('!') ||
      owners.some((owner) => !/^(@[\w.-]+(\/[\w.-]+)?|[^@\s]+@[^@\s]+)$/.test(owner))
    )
      return []
    return [{ line: index + 1, pattern, owners }]
  })
}

/**
 * Whether one part of a path matches one part of a pattern; `*` is any run of characters, `?` one.
 * Linear in both for each star.
 */
function partMatches(pattern: string, part: string): boolean {
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
 * Whether a pattern matches a file: by its path, by its name at any depth, or by a directory above
 * it.
 */
export function ownsPath(pattern: string, path: string): boolean {
  const onlyDirectory = pattern.endsWith('/')
  const trimmed = pattern.replace(/^\/+|\/+$/g, '')
  const anchored = pattern.startsWith('/') || trimmed.includes('/')
  const wanted = [...(anchored ? [] : ['**']), ...trimmed.split('/')]
  const parts = path.split('/')
  // `docs/*` is the files in docs and not what is below.
  const below = wanted.at(-1) !== '*' || !anchored || onlyDirectory
  /** For how many parts, from the first, the pattern so far fits. */
  let fits = new Set([0])
  for (const word of wanted) {
    const next = new Set<number>()
    if (word === '**') for (let end = Math.min(...fits); end <= parts.length; end++) next.add(end)
    else
      for (const at of fits)
        if (at < parts.length && partMatches(word, parts[at] ?? '')) next.add(at + 1)
    if (next.size === 0) return false
    fits = next
  }
  return [...fits].some((end) => (end === parts.length ? !onlyDirectory : end > 0 && below))
}

/** Who answers for a path: the owners of the last rule that matches; none without one. */
export const ownersOfPath = (rules: readonly OwnerRule[], path: string): readonly string[] =>
  rules.findLast(({ pattern }) => ownsPath(pattern, path))?.owners ?? []

/**
 * Matches between two looks at what else waits: thousands of paths and rules must not hold up
 * everyone.
 */
const MATCHES_AT_ONCE = 5_000

/** Who answers for any of many paths, each owner once. */
export async function ownersOf(
  { rules }: CodeOwners,
  paths: readonly string[],
): Promise<readonly string[]> {
  const owners = new Set<string>()
  let matches = 0
  for (const path of paths) {
    for (const owner of ownersOfPath(rules, path)) owners.add(owner)
    matches += rules.length
    if (matches < MATCHES_AT_ONCE) continue
    matches = 0
    await nextTurn()
  }
  return [...owners]
}

/** The code owners as a commit has them; null without such a file. */
export async function readCodeOwners(
  { git }: Pick<Hearth, 'git'>,
  store: string,
  commit: Oid,
): Promise<CodeOwners | null> {
  const key = `${store} ${commit}`
  const before = known.get(key)
  if (before) return before.found
  const found = await read(git, store, commit)
  known.set(key, { found })
  return found
}

/**
 * Of the commits that were asked for last: after a push to a base, all of its pull requests ask for
 * the same one.
 */
const known = createCache<{ readonly found: CodeOwners | null }>({
  maxSize: 20_000,
  sizeOf: ({ found }) => 1 + (found?.rules.length ?? 0),
})

async function read(git: Git, store: string, commit: Oid): Promise<CodeOwners | null> {
  for (const file of PLACES) {
    const entry = await git.entry(store, commit, file)
    if (entry?.type !== 'file') continue
    const blob = await git.blob(store, entry.oid, LARGEST)
    if (blob)
      return {
        file,
        rules: parseCodeOwners(new TextDecoder().decode(blob.data)).slice(0, MOST_RULES),
      }
  }
  return null
}
