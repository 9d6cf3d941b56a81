// References in text: mentions of users and teams, issues, pull requests, commits.
import { looksLikeCommit, REFERENCE } from '#lib/reference-pattern.ts'
import { commitPath, issuePath, shortUrlParts, teamPath, userPath } from '../paths.ts'

/** What references are resolved against. */
export interface LinkContext {
  /** Precedes every address of this site. Empty for addresses from the root. */
  siteUrl: string
  /** The repository `workspace/name` of a bare `#12` or commit id. Without one they stay text. */
  repo?: string
  /**
   * The mentions to link, as `name` or `workspace/team` in lower case. Undefined links every
   * well-formed one. A list and not a function, because another thread reads it.
   */
  mentions?: readonly string[]
}

const link = (href: string, text: string, kind: string): string =>
  `<a class="ref-${kind}" href="${Bun.escapeHTML(href)}">${text}</a>`

/** Links the references in escaped text. */
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
 * The short form of an address of this site: `#12`, `a/b#12`, `abc1234`. Null for other addresses.
 */
export const shortForm = (href: string, context: LinkContext): string | null => {
  if (context.siteUrl === '' || !href.startsWith(`${context.siteUrl}/`)) return null
  const parts = shortUrlParts(href.slice(context.siteUrl.length))
  if (parts === null) return null
  const repo = parts.repo === context.repo ? '' : parts.repo
  if (parts.kind === 'commit') return `${repo && `${repo}@`}${parts.id.slice(0, 7)}`
  return `${repo}#${parts.id}${parts.comment ? ' (comment)' : ''}`
}
