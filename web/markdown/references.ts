// Words in running text that stand for something on this site: people, teams, issues, pull
// requests, commits.
import { looksLikeCommit, REFERENCE } from '#features/issues/index.ts'
import { commitPath, issuePath, shortUrlParts, teamPath, userPath } from '../paths.ts'

/** What references are read against. */
export interface LinkContext {
  /** Before every address on this site; empty for addresses from the root. */
  siteUrl: string
  /**
   * The repository that a bare `#12` or commit id belongs to, `workspace/name`; without it those
   * stay text.
   */
  repo?: string
  /**
   * The mentions to link (`name` or `workspace/team`, lower case); every well-formed one when left
   * out. Data and no function, because another thread reads it.
   */
  mentions?: readonly string[]
}

const link = (href: string, text: string, kind: string): string =>
  `<a class="ref-${kind}" href="${Bun.escapeHTML(href)}">${text}</a>`

/** Links the references in a stretch of text that is already escaped. */
export const linkReferences = (text: string, context: LinkContext): string =>
  /[@#]|[0-9a-f]{7}/i.test(text)
    ? text.replace(
        REFERENCE,
        (
          whole: string,
          name?: string,
          team?: string,
          numberRepo?: string,
          digits?: string,
          commitRepo?: string,
          hex?: string,
        ) => {
          if (name !== undefined) {
            const asked = (team ? `${name}/${team}` : name).toLowerCase()
            if (name.includes('--') || context.mentions?.includes(asked) === false) return whole
            const path = team
              ? teamPath(name.toLowerCase(), team.toLowerCase())
              : userPath(name.toLowerCase())
            return link(context.siteUrl + path, whole, 'mention')
          }
          if (digits !== undefined) {
            const repo = numberRepo ?? context.repo
            return repo === undefined
              ? whole
              : link(context.siteUrl + issuePath(repo, Number(digits)), whole, 'issue')
          }
          const repo = commitRepo ?? context.repo
          if (hex === undefined || repo === undefined || !looksLikeCommit(hex)) return whole
          const shown = `${commitRepo ? `${commitRepo}@` : ''}${hex.slice(0, 7)}`
          return link(context.siteUrl + commitPath(repo, hex), `<code>${shown}</code>`, 'commit')
        },
      )
    : text

/**
 * The short form of an address on this site that stands in the text as itself: `#12`, `a/b#12`,
 * `abc1234`; null for any other.
 */
export const shortForm = (href: string, context: LinkContext): string | null => {
  if (context.siteUrl === '' || !href.startsWith(`${context.siteUrl}/`)) return null
  const parts = shortUrlParts(href.slice(context.siteUrl.length))
  if (parts === null) return null
  const repo = parts.repo === context.repo ? '' : parts.repo
  if (parts.kind === 'commit') return `${repo && `${repo}@`}${parts.id.slice(0, 7)}`
  return `${repo}#${parts.id}${parts.comment ? ' (comment)' : ''}`
}
