// The addresses of all pages. Parts are encoded; refs and file paths keep their slashes.

import { encodePath } from '#lib/percent-encoding.ts'

/** `workspace/repo` as an address. */
export const repoPath = (fullName: string, rest = ''): string => `/${encodePath(fullName)}${rest}`

export const workspacePath = (slug: string, rest = ''): string =>
  `/${encodeURIComponent(slug)}${rest === '' ? '' : `/-/${rest}`}`

/**
 * Usernames and workspace slugs share one namespace, so both are at the root. An agent `owner/name`
 * has the page of its owner.
 */
export const userPath = (username: string): string =>
  `/${encodeURIComponent(username.split('/')[0] ?? username)}`

export const projectPath = (workspace: string, project: string, rest = ''): string =>
  workspacePath(workspace, `projects/${encodeURIComponent(project)}${rest}`)

export const teamPath = (workspace: string, team: string): string =>
  `/${encodeURIComponent(workspace)}/-/teams/${encodeURIComponent(team)}`

export const issuePath = (repo: string, number: number): string =>
  repoPath(repo, `/issues/${number}`)
export const pullPath = (
  repo: string,
  number: number,
  part?: 'changes' | 'commits' | 'session' | 'checks' | 'conflicts',
): string => repoPath(repo, `/pull/${number}${part ? `/${part}` : ''}`)
/** The page with one text of a conversation: `description`, or the id of a comment or a review. */
export const textPath = (conversation: string, id: string): string => `${conversation}/text/${id}`
export const commitPath = (repo: string, sha: string): string =>
  repoPath(repo, `/commit/${encodeURIComponent(sha)}`)

/**
 * The comparison of two branches, tags or commits. `direct` compares them as they are, not since
 * they diverged.
 */
export const comparePath = (repo: string, base: string, head: string, direct = false): string =>
  repoPath(repo, `/compare/${encodePath(base)}${direct ? '..' : '...'}${encodePath(head)}`)

/** A page of one version of a path: tree, blob, raw, blame or commits. */
export const codePath = (
  repo: string,
  view: 'tree' | 'blob' | 'raw' | 'blame' | 'commits',
  ref: string,
  path = '',
): string =>
  repoPath(repo, `/${view}/${encodePath(ref)}${path === '' ? '' : `/${encodePath(path)}`}`)

/** The download of all files of a branch, tag or commit. */
export const archivePath = (repo: string, ref: string, format: 'zip' | 'tar.gz'): string =>
  withQuery(repoPath(repo, `/archive/${encodePath(ref)}`), {
    format: format === 'zip' ? undefined : format,
  })

/** A job of a run. */
export const jobPath = (repo: string, run: string, job: string): string =>
  repoPath(repo, `/runs/${encodeURIComponent(run)}/job/${encodeURIComponent(job)}`)

/** The alerts of scanners, or one of them as `/<id>`. */
export const codeAlertsPath = (repo: string, rest = ''): string =>
  repoPath(repo, `/security/code-scanning${rest}`)

/** The form of a new access token, with a name and ticked scopes. */
export const newTokenPath = (name: string, ...scopes: string[]): string =>
  `/settings/tokens?${new URLSearchParams({ name, scopes: scopes.join(',') })}`

/** The preview of the text in a form. */
export const PREVIEW_PATH = '/-/preview'
export const previewPath = (repo: string, field: string, kind?: 'wiki'): string =>
  withQuery(PREVIEW_PATH, { repo, field, kind })

/** The same address with other query values; `undefined` and empty values are left out. */
export const withQuery = (
  path: string,
  values: Record<string, string | number | undefined>,
): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(name, String(value))
  const text = query.toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

/** The id of a comment, event or review behind an address of a conversation. */
const ITEM_OF_CONVERSATION = /#((?:cmt|evt|rvw)_\w+)$/

/**
 * The path of an address of this site, so that a link stays on the host of the request. One to a
 * comment names it to the server as well, which shows the part of the conversation that has it.
 */
export function localPath(address: string): string {
  const path = address.replace(/^https?:\/\/[^/]+/, '')
  const [hash, id] = ITEM_OF_CONVERSATION.exec(path) ?? []
  return hash === undefined ? path : `${withQuery(path.slice(0, -hash.length), { at: id })}${hash}`
}

/** The issue, pull request or commit that an address names. Null for other addresses. */
export const shortUrlParts = (
  path: string,
): { repo: string; kind: 'number' | 'commit'; id: string; comment: boolean } | null => {
  const match =
    /^\/([\w-]+\/[\w.-]+)\/(?:(?:issues|pull)\/([1-9]\d{0,8})(#[\w-]+)?|commit\/([0-9a-f]{7,64}))$/.exec(
      path,
    )
  if (!match) return null
  const [, repo = '', number, fragment, commit] = match
  return number !== undefined
    ? { repo, kind: 'number', id: number, comment: fragment !== undefined }
    : { repo, kind: 'commit', id: commit ?? '', comment: false }
}
