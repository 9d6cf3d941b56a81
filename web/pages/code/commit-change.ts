// One commit of the site: on a branch, on a new one with a pull request, or in a fork of one's own
// for those who may not write.
import { closePull, createPull, markPullReady } from '#features/pulls/index.ts'
import { createCommit, getBranch } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { comparePath, pullPath } from '../../paths.ts'
import { redirectWithFlash, type DirectResponse, type Fields, type Visit } from '../../site.ts'

const MAX_TITLE_LENGTH = 256

export type FileEdit = {
  path: string
  action: 'put' | 'delete' | 'move'
  content?: string
  encoding?: 'utf-8' | 'base64'
  from?: string
}

/** Where a commit goes: `fork` for those who may not write. */
export type CommitDestination = 'branch' | 'new' | 'fork'

export type CommitRequest = {
  readonly repo: string
  readonly branch: string
  readonly files: FileEdit[]
  readonly title: string
  readonly body: string
  readonly way: CommitDestination
  readonly new_branch: string
  /** The commit that the change was made upon; empty for the first one of a repository. */
  readonly expected_head: string
}

/**
 * What the fields say of the way; `mayWrite` false leaves no choice. Gives 422 for a new branch
 * without a name.
 */
export function readDestination(
  fields: Fields,
  mayWrite: boolean,
): Pick<CommitRequest, 'way' | 'new_branch'> {
  const way = !mayWrite ? 'fork' : fields.text('target') === 'new' ? 'new' : 'branch'
  const new_branch = fields.text('new_branch').trim()
  if (way === 'new' && new_branch === '')
    throw new Refusal('invalid', 'Give the new branch a name.', { field: 'new_branch' })
  return { way, new_branch }
}

/**
 * Nothing that was typed may be lost, so what is not found any more is a refusal of the form and
 * not another page.
 */
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
 * A pull request with its fork, the commit in it, and ready for review. What is refused leaves no
 * open draft behind.
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
 * Commits and leads on; `after` is where a commit on the branch itself leads. A branch that has
 * moved is no conflict as long as `isUntouched` says that the change still fits; else it is a 409
 * `head_moved`.
 */
export async function commitChange(
  visit: Visit,
  wanted: CommitRequest,
  after: string,
  isUntouched: () => Promise<boolean>,
): Promise<DirectResponse> {
  const { repo, branch, files, title, body, way, new_branch } = wanted
  const moved = () =>
    new Refusal('conflict', 'The file has changed since you opened it.', { reason: 'head_moved' })
  if (way === 'fork') {
    // Asked before there is a fork, so that a conflict makes none.
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
    // The commit is safe on its branch; the comparison tells what can be done with it.
    return redirectWithFlash(visit, comparePath(repo, branch, new_branch), 'committed')
  }
}
