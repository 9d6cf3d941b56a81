// Commits made on the website: to a branch, to a new branch with a pull request, or to a fork for
// users without write access.
import { closePull, createPull, markPullReady } from '#features/pulls/index.ts'
import { createCommit, getBranch } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { comparePath, pullPath } from '../../paths.ts'
import { redirectWithFlash, type DirectResponse, type Fields, type Visit } from '../../site.ts'
import { t } from '../../text.ts'

const MAX_TITLE_LENGTH = 256

export type FileEdit = {
  path: string
  action: 'put' | 'delete' | 'move'
  content?: string
  encoding?: 'utf-8' | 'base64'
  from?: string
}

/** The destination of a commit: `fork` for users without write access. */
export type CommitDestination = 'branch' | 'new' | 'fork'

export type CommitRequest = {
  readonly repo: string
  readonly branch: string
  readonly files: FileEdit[]
  readonly title: string
  readonly body: string
  readonly way: CommitDestination
  readonly new_branch: string
  /** The commit that the change is based on. Empty for the first one of a repository. */
  readonly expected_head: string
}

/**
 * Reads the destination from the fields. `mayWrite` false leaves only the fork. Throws 422 for a
 * new branch without a name.
 */
export function readDestination(
  fields: Fields,
  mayWrite: boolean,
): Pick<CommitRequest, 'way' | 'new_branch'> {
  const way = !mayWrite ? 'fork' : fields.text('target') === 'new' ? 'new' : 'branch'
  const new_branch = fields.text('new_branch').trim()
  if (way === 'new' && new_branch === '')
    throw new Refusal('invalid', t('Give the new branch a name.'), { field: 'new_branch' })
  return { way, new_branch }
}

/** Turns 404 into a refusal of the form, because an error page would lose what was typed. */
async function notFoundAsConflict<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal && error.status === 404)
      throw new Refusal('conflict', error.message, { field: error.field ?? undefined })
    throw error
  }
}

const messageOf = ({ title, body }: CommitRequest): string =>
  body === '' ? title : `${title}\n\n${body}`

/**
 * Creates a pull request with its fork, commits to it and marks it as ready. After a refusal no
 * draft is left.
 */
async function commitInFork(
  visit: Visit,
  wanted: CommitRequest,
  expected_head: string | undefined,
): Promise<number> {
  const { repo, branch, files, title, body } = wanted
  const { pull, git } = await notFoundAsConflict(() =>
    visit.call(createPull, {
      repo,
      title: title.slice(0, MAX_TITLE_LENGTH),
      body: body || undefined,
      base: branch,
    }),
  )
  try {
    await notFoundAsConflict(() =>
      visit.call(createCommit, {
        repo: `${repo}/pull/${pull.number}`,
        branch: git.branch,
        message: messageOf(wanted),
        files,
        expected_head,
      }),
    )
    await visit.call(markPullReady, { repo, number: pull.number, summary: body || title })
  } catch (error) {
    await visit.tryCall(closePull, { repo, number: pull.number }).catch(() => null)
    throw error
  }
  return pull.number
}

/**
 * Commits and redirects; `after` is the address for a commit to the branch itself. A branch that
 * has moved is no conflict as long as `isUntouched` confirms that the change still applies.
 * Otherwise throws 409 `head_moved`.
 */
export async function commitChange(
  visit: Visit,
  wanted: CommitRequest,
  after: string,
  isUntouched: () => Promise<boolean>,
): Promise<DirectResponse> {
  const { repo, branch, files, title, body, way, new_branch } = wanted
  const moved = () =>
    new Refusal('conflict', t('The file has changed since you opened it.'), {
      reason: 'head_moved',
    })
  if (way === 'fork') {
    // Before the fork is created, so that a conflict creates none.
    const now = (await visit.tryCall(getBranch, { repo, branch }))?.commit.sha
    if (now !== wanted.expected_head && !(await isUntouched())) throw moved()
    return redirectWithFlash(
      visit,
      pullPath(repo, await commitInFork(visit, wanted, now)),
      'proposed',
    )
  }
  const commit = (expected_head: string | undefined) =>
    notFoundAsConflict(() =>
      visit.call(createCommit, {
        repo,
        branch,
        message: messageOf(wanted),
        files,
        expected_head,
        ...(way === 'new' ? { new_branch } : {}),
      }),
    )
  try {
    await commit(wanted.expected_head || undefined)
  } catch (error) {
    if (!(error instanceof Refusal) || error.reason !== 'head_moved') throw error
    const actual = error.details.actual
    if (typeof actual !== 'string' || !(await isUntouched())) throw moved()
    await commit(actual)
  }
  if (way === 'branch') return redirectWithFlash(visit, after, 'committed')
  try {
    const { pull } = await visit.call(createPull, {
      repo,
      title: title.slice(0, MAX_TITLE_LENGTH),
      body: body || undefined,
      branch: new_branch,
      base: branch,
    })
    return redirectWithFlash(visit, pullPath(repo, pull.number), 'committed')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // The commit is on its branch; the comparison offers the next steps.
    return redirectWithFlash(visit, comparePath(repo, branch, new_branch), 'committed')
  }
}
