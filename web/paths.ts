// Where the pages are, in one place, so that a component and a page never spell an address
// differently. Every part is encoded; refs and file paths keep their slashes.

/** A ref or file path as address segments. */
export const segments = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** `workspace/repo` as an address. */
export const repoPath = (fullName: string, rest = ''): string => `/${segments(fullName)}${rest}`

export const workspacePath = (slug: string, rest = ''): string =>
  `/${encodeURIComponent(slug)}${rest === '' ? '' : `/-/${rest}`}`

/**
 * Usernames and workspace slugs are unique together, so both live at the root. An agent
 * `owner/name` leads to its owner.
 */
export const userPath = (username: string): string =>
  `/${encodeURIComponent(username.split('/')[0] ?? username)}`

export const teamPath = (workspace: string, team: string): string =>
  `/${encodeURIComponent(workspace)}/-/teams/${encodeURIComponent(team)}`

export const issuePath = (repo: string, number: number): string =>
  repoPath(repo, `/issues/${number}`)
export const pullPath = (
  repo: string,
  number: number,
  part?: 'changes' | 'commits' | 'session' | 'checks',
): string => repoPath(repo, `/pull/${number}${part ? `/${part}` : ''}`)
export const commitPath = (repo: string, sha: string): string =>
  repoPath(repo, `/commit/${encodeURIComponent(sha)}`)

/**
 * The page that compares two branches, tags or commits; `direct` compares them as they are, not
 * from where they diverged.
 */
export const comparePath = (repo: string, base: string, head: string, direct = false): string =>
  repoPath(repo, `/compare/${segments(base)}${direct ? '..' : '...'}${segments(head)}`)

/** A page that shows one version of a path: tree, blob, raw, blame or commits. */
export const codePath = (
  repo: string,
  view: 'tree' | 'blob' | 'raw' | 'blame' | 'commits',
  ref: string,
  path = '',
): string => repoPath(repo, `/${view}/${segments(ref)}${path === '' ? '' : `/${segments(path)}`}`)

/** Shows the text of a form that is being written. */
export const PREVIEW_PATH = '/-/preview'
export const previewPath = (repo: string, field: string): string =>
  withQuery(PREVIEW_PATH, { repo, field })

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

/** What an address of an issue, a pull request or a commit names; null for any other address. */
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
