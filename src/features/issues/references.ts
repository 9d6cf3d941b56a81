/**
 * Finds references in Markdown: people and teams (`@ada`, `@acme/core`), issues and pull requests
 * (`#12`, `acme/site#12`, or their URL), and commits by id, as pages link them.
 */
import { looksLikeCommit, REFERENCE } from '#lib/reference-pattern.ts'

export type References = {
  /** `name` or `workspace/team`, in lower case, distinct. */
  readonly mentions: readonly string[]
  /** `repo` is null for the repository of the text. */
  readonly numbers: readonly { readonly repo: string | null; readonly number: number }[]
  readonly commits: readonly { readonly repo: string | null; readonly sha: string }[]
}

/** The maximum of references in one text; each may cost a look-up. */
const MAX_REFERENCES = 50
/** The maximum that is looked at: 20,000 times the same number would keep the event loop for 45 ms. */
const MAX_MATCHES = 1_000

const TAG_NAME = /<(\/?)([a-z][a-z0-9]*)/iy

type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tag'
      readonly name: string
      readonly isClosing: boolean
      readonly attributes: string
    }

/** Splits HTML into texts and tags. Comments, and a `<` that starts no tag, are left out. */
function* htmlTokens(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    const textEnd = open < 0 ? html.length : open
    if (textEnd > at) yield { kind: 'text', text: html.slice(at, textEnd) }
    if (open < 0) return
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open + 4)
      if (end < 0) return
      at = end + 3
      continue
    }
    TAG_NAME.lastIndex = open
    const [start = '', slash = '', name = ''] = TAG_NAME.exec(html) ?? []
    const end = start === '' ? -1 : tagEnd(html, open + start.length)
    at = end < 0 ? open + 1 : end + 1
    if (end < 0) continue
    yield {
      kind: 'tag',
      name: name.toLowerCase(),
      isClosing: slash === '/',
      attributes: html.slice(open + start.length, end),
    }
  }
}

/** The position of the `>` that ends a tag, outside of quotes; -1 when there is none. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html[at]
    if (character === '>') return at
    if (character !== '"' && character !== "'") continue
    at = html.indexOf(character, at + 1)
    if (at < 0) return -1
  }
  return -1
}

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

/** The issue or pull request of this site that a link leads to; null for another link. */
function linkedNumber(
  attributes: string,
  site_url: string,
): { readonly repo: string; readonly digits: string } | null {
  const href = site_url === '' ? '' : (/\bhref="([^"]*)"/.exec(attributes)?.[1] ?? '')
  if (!href.startsWith(`${site_url}/`)) return null
  const [, repo, digits] =
    /^\/([\w-]+\/[\w.-]+)\/(?:issues|pull)\/([1-9]\d{0,8})(?:#[\w-]+)?$/.exec(
      href.slice(site_url.length),
    ) ?? []
  return repo === undefined || digits === undefined ? null : { repo, digits }
}

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
  let skipped = 0
  let quoted = 0
  let matches = 0
  const html = Bun.markdown.html(markdown.toWellFormed(), { autolinks: true })
  for (const token of htmlTokens(html)) {
    if (token.kind === 'tag') {
      const step = token.isClosing ? -1 : 1
      if (SKIPPED_ELEMENTS.has(token.name)) skipped = Math.max(0, skipped + step)
      if (token.name === 'blockquote') quoted = Math.max(0, quoted + step)
      const linked = token.name === 'a' ? linkedNumber(token.attributes, site_url) : null
      if (linked) addNumber(linked.repo, linked.digits)
      continue
    }
    if (skipped > 0) continue
    if (matches > MAX_MATCHES) break
    for (const match of token.text.matchAll(REFERENCE)) {
      if (++matches > MAX_MATCHES) break
      const [, person, team, numberRepo, digits, commitRepo, hex] = match
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
