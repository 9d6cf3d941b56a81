/**
 * Finds references in Markdown: people and teams (`@ada`, `@acme/core`), issues and pull requests
 * (`#12`, `acme/site#12`, or their URL), and commits by id. Links on pages and notifications both
 * use this pattern.
 */

const mention = String.raw`(?<![\w@/.+-])@([a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?)(?:/([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?))?(?![\w@/-])`
const number = String.raw`(?<![\w/.#&;-])([\w-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,8})(?!\w)`
const commit = String.raw`(?<![\w/.#&;@-])(?:([\w-]{1,39}/[\w.-]{1,100})@)?([0-9a-f]{7,40}|[0-9a-f]{64})(?![\w@/-]|\.\w)`

/** Groups: a name and a team; a repository and a number; a repository and a commit id. */
export const REFERENCE = new RegExp(`${mention}|${number}|${commit}`, 'gi')

/**
 * Whether hex digits are read as a commit id. They need a digit and a letter, so that neither a
 * year nor a word matches.
 */
export const looksLikeCommit = (hex: string): boolean =>
  hex === hex.toLowerCase() && (hex.length >= 40 || (/\d/.test(hex) && /[a-f]/.test(hex)))

export type References = {
  /** `name` or `workspace/team`, in lower case, distinct. */
  readonly mentions: readonly string[]
  /** `repo` is null for the repository of the text. */
  readonly numbers: readonly { readonly repo: string | null; readonly number: number }[]
  readonly commits: readonly { readonly repo: string | null; readonly sha: string }[]
}

/** The maximum of references in one text; each may cost a look-up. */
const MAX_REFERENCES = 50

const token = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>|[^<]+|</gi
/** Elements whose text is not searched. */
const SKIPPED_ELEMENTS: ReadonlySet<string> = new Set([
  'a',
  'code',
  'pre',
  'kbd',
  'samp',
  'tt',
  'script',
  'style',
  'textarea',
  'title',
])

/**
 * Reads the references of a text. URLs of issues and pull requests below `site_url` count as well.
 */
export function readReferences(markdown: string, site_url = ''): References {
  const mentions = new Set<string>()
  const numbers = new Map<string, References['numbers'][number]>()
  const commits = new Map<string, References['commits'][number]>()
  const found = { mentions: [], numbers: [], commits: [] }
  if (!/[@#]|[0-9a-f]{7}|\/(issues|pull)\//i.test(markdown)) return found
  const addNumber = (repo: string | null, digits: string) => {
    const row = { repo: repo?.toLowerCase() ?? null, number: Number(digits) }
    if (numbers.size < MAX_REFERENCES) numbers.set(`${row.repo ?? ''}#${row.number}`, row)
  }
  let quiet = 0
  let quoted = 0
  for (const [whole, close, name, rest = ''] of Bun.markdown
    .html(markdown.toWellFormed(), { autolinks: true })
    .matchAll(token)) {
    if (name !== undefined) {
      const tag = name.toLowerCase()
      const step = close === '' ? 1 : -1
      if (SKIPPED_ELEMENTS.has(tag)) quiet = Math.max(0, quiet + step)
      if (tag === 'blockquote') quoted = Math.max(0, quoted + step)
      const href = tag === 'a' && site_url !== '' ? (/\bhref="([^"]*)"/.exec(rest)?.[1] ?? '') : ''
      const [, repo, digits] = href.startsWith(`${site_url}/`)
        ? (/^\/([\w-]+\/[\w.-]+)\/(?:issues|pull)\/([1-9]\d{0,8})(?:#[\w-]+)?$/.exec(
            href.slice(site_url.length),
          ) ?? [])
        : []
      if (repo !== undefined && digits !== undefined) addNumber(repo, digits)
      continue
    }
    if (quiet > 0 || whole.startsWith('<')) continue
    for (const [, person, team, numberRepo, digits, commitRepo, hex] of whole.matchAll(REFERENCE)) {
      // Quoted mentions do not notify again.
      if (person !== undefined) {
        if (quoted === 0 && !person.includes('--') && mentions.size < MAX_REFERENCES)
          mentions.add((team === undefined ? person : `${person}/${team}`).toLowerCase())
      } else if (digits !== undefined) addNumber(numberRepo ?? null, digits)
      else if (hex !== undefined && looksLikeCommit(hex) && commits.size < MAX_REFERENCES) {
        commits.set(`${commitRepo ?? ''}@${hex}`, {
          repo: commitRepo?.toLowerCase() ?? null,
          sha: hex,
        })
      }
    }
  }
  return { mentions: [...mentions], numbers: [...numbers.values()], commits: [...commits.values()] }
}
