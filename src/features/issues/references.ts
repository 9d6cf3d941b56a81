/**
 * What a text in Markdown refers to: people and teams (`@ada`, `@acme/core`), issues and pull
 * requests (`#12`, `acme/site#12`, or their address), and commits by id. One pattern, so that what
 * is linked on a page and what is told to people are the same.
 */

const mention = String.raw`(?<![\w@/.+-])@([a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])?)(?:/([a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?))?(?![\w@/-])`
const number = String.raw`(?<![\w/.#&;-])([\w-]{1,39}/[\w.-]{1,100})?#([1-9]\d{0,8})(?!\w)`
const commit = String.raw`(?<![\w/.#&;@-])(?:([\w-]{1,39}/[\w.-]{1,100})@)?([0-9a-f]{7,40}|[0-9a-f]{64})(?![\w@/-]|\.\w)`

/** Its groups: a name and a team; a repository and a number; a repository and a commit id. */
export const REFERENCE = new RegExp(`${mention}|${number}|${commit}`, 'gi')

/**
 * A short run of hex counts as a commit only with a digit and a letter in it, so that neither a
 * year nor a word is one.
 */
export const looksLikeCommit = (hex: string): boolean =>
  hex === hex.toLowerCase() && (hex.length >= 40 || (/\d/.test(hex) && /[a-f]/.test(hex)))

export type References = {
  /** `name` or `workspace/team`, in lower case, each once. */
  readonly mentions: readonly string[]
  /** `repo` is null for the repository that the text stands in. */
  readonly numbers: readonly { readonly repo: string | null; readonly number: number }[]
  readonly commits: readonly { readonly repo: string | null; readonly sha: string }[]
}

/** More than these are not read: no text needs them, and each costs somebody a look. */
const MOST = 50

const token = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>|[^<]+|</gi
/** What stands in these is shown as it is, or not at all. */
const QUIET: ReadonlySet<string> = new Set([
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

/** `site_url` makes addresses of issues and pull requests on this site references too. */
export function readReferences(markdown: string, site_url = ''): References {
  const mentions = new Set<string>()
  const numbers = new Map<string, References['numbers'][number]>()
  const commits = new Map<string, References['commits'][number]>()
  const found = { mentions: [], numbers: [], commits: [] }
  if (!/[@#]|[0-9a-f]{7}|\/(issues|pull)\//i.test(markdown)) return found
  const addNumber = (repo: string | null, digits: string) => {
    const row = { repo: repo?.toLowerCase() ?? null, number: Number(digits) }
    if (numbers.size < MOST) numbers.set(`${row.repo ?? ''}#${row.number}`, row)
  }
  let quiet = 0
  let quoted = 0
  for (const [whole, close, name, rest = ''] of Bun.markdown
    .html(markdown.toWellFormed(), { autolinks: true })
    .matchAll(token)) {
    if (name !== undefined) {
      const tag = name.toLowerCase()
      const step = close === '' ? 1 : -1
      if (QUIET.has(tag)) quiet = Math.max(0, quiet + step)
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
      // What is quoted was said before, by somebody else.
      if (person !== undefined) {
        if (quoted === 0 && !person.includes('--') && mentions.size < MOST)
          mentions.add((team === undefined ? person : `${person}/${team}`).toLowerCase())
      } else if (digits !== undefined) addNumber(numberRepo ?? null, digits)
      else if (hex !== undefined && looksLikeCommit(hex) && commits.size < MOST) {
        commits.set(`${commitRepo ?? ''}@${hex}`, {
          repo: commitRepo?.toLowerCase() ?? null,
          sha: hex,
        })
      }
    }
  }
  return { mentions: [...mentions], numbers: [...numbers.values()], commits: [...commits.values()] }
}
