// The data of the editor: the file as it is now, and whether it changed since the form was opened.
import {
  getBranch,
  getFile,
  getRepo,
  getRepoSettings,
  locateCode,
  previewChange,
  type FileChange,
  type Repo,
} from '#features/repos/index.ts'
import { listBranchRules } from '#features/rulesets/index.ts'
import { Refusal } from '#lib/errors.ts'
import { codePath } from '../../paths.ts'
import { redirect, type DirectResponse, type Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { typedOf } from './edit-form.ts'
import { t } from '../../text.ts'

/** Larger files cannot be edited on the website. */
const MAX_EDIT_BYTES = 1024 * 1024

export type EditMode = 'edit' | 'new' | 'delete'

/** A whole text file at a commit. `problem` is why it cannot be edited here. */
export type EditFile = {
  readonly oid: string
  readonly text: string
  readonly crlf: boolean
  readonly problem: string | null
}

export type EditData = {
  readonly mode: EditMode
  readonly repo: Repo
  readonly branch: string
  /** The head of the branch. Null in an empty repository. */
  readonly head: string | null
  /** The file, or the directory of a new one. */
  readonly path: string
  readonly file: EditFile | null
  /** Why the branch does not accept a commit of this user. A pull request still can. */
  readonly barrier: BranchBarrier
  /** The file changed since the form was opened. */
  readonly moved: boolean
  /** The change that the typed text would make, when a preview was requested. Null without one. */
  readonly preview: FileChange | null
}

const nothing = (oid: string, problem: string): EditFile => ({
  oid,
  text: '',
  crlf: false,
  problem,
})

/** Reads a whole file, in several parts if needed. Null when there is none. */
export async function readWhole(
  visit: Visit,
  repo: string,
  ref: string,
  path: string,
): Promise<EditFile | null> {
  let text = ''
  for (let from = 1; ; ) {
    const part = await visit.tryCall(getFile, { repo, ref, path, from_line: from })
    if (part === null) return null
    if (part.lfs !== null)
      return nothing(
        part.sha,
        t('Its content is stored apart (Git LFS), and only a pointer to it is here.'),
      )
    if (part.binary || part.encoding !== 'utf-8')
      return nothing(
        part.sha,
        t('It is not text in UTF-8. Change it with git, which keeps its bytes as they are.'),
      )
    if (part.size > MAX_EDIT_BYTES)
      return nothing(part.sha, t('It is larger than 1 MiB. Change it with git.'))
    text += part.content
    if (!part.truncated || part.to_line === null) {
      const ends = text.match(/\r?\n/g) ?? []
      return {
        oid: part.sha,
        text,
        crlf: ends.length > 0 && ends.every((end) => end.length === 2),
        problem: null,
      }
    }
    if (part.to_line < from)
      return nothing(part.sha, t('It has a line that is too long to edit here.'))
    from = part.to_line + 1
  }
}

/**
 * Why a branch does not accept a direct commit of this user: its own protection, or a ruleset, which
 * some users may bypass. Null when it accepts one.
 */
export type BranchBarrier = 'protection' | 'ruleset' | null

export async function findBarrier(visit: Visit, repo: Repo, name: string): Promise<BranchBarrier> {
  const rules = await visit.tryCall(listBranchRules, { repo: repo.full_name, branch: name })
  const byRuleset = rules?.items.some(
    ({ type, applies_to }) => type === 'pull_request' && applies_to === 'everyone',
  )
  if (name === repo.default_branch && repo.protected) {
    const settings = repo.permissions.admin
      ? await visit.tryCall(getRepoSettings, { repo: repo.full_name })
      : null
    if (settings?.admins_may_push !== true) return 'protection'
  }
  return byRuleset === true ? 'ruleset' : null
}

/** Whether a remote leads, so that no commit can be made here. */
const isLedElsewhere = ({ mirror }: Repo): boolean =>
  mirror !== null && mirror.role === 'leader' && mirror.state !== 'takeover'

/** Whether a user can change files on the website: directly, or by a pull request with a fork. */
export const mayPropose = ({ viewer }: Visit, repo: Repo): boolean =>
  viewer !== null &&
  !repo.archived &&
  ((repo.permissions.write && !isLedElsewhere(repo)) ||
    (!repo.permissions.write && !repo.empty && repo.full_name.split('/').length === 2))

/**
 * The repository for a page that changes its files. Throws 403 for users who cannot, before they
 * type anything.
 */
export async function repoToChange(visit: Visit): Promise<Repo> {
  const repo = await visit.call(getRepo, { repo: repoOf(visit) })
  if (repo.archived)
    throw new Refusal('forbidden', t('This repository is archived: it can only be read.'))
  if (repo.permissions.write && isLedElsewhere(repo))
    throw new Refusal(
      'forbidden',
      t(
        'This repository is a mirror: changes are made where it leads, until it is taken over here.',
      ),
    )
  if (!mayPropose(visit, repo))
    throw new Refusal(
      'forbidden',
      repo.empty
        ? t('The first commit of a repository is for people with the role write.')
        : t('Only its author changes files of this fork.'),
    )
  if (!repo.permissions.write) {
    const settings = await visit.tryCall(getRepoSettings, { repo: repo.full_name })
    if (settings?.contributions === 'nobody')
      throw new Refusal(
        'forbidden',
        t('This repository takes changes only from people with the role write.'),
      )
  }
  return repo
}

/** Computes the change that the typed text would make. Null when there is nothing to compare. */
async function previewOf(
  visit: Visit,
  mode: EditMode,
  repo: string,
  head: string | null,
): Promise<FileChange | null> {
  const { values } = visit.form
  const { path, content } = typedOf(values)
  if (mode === 'delete' || path === '' || values.text('then') !== 'preview') return null
  return visit.tryCall(previewChange, {
    repo,
    path,
    content,
    ...(head === null ? {} : { ref: head }),
    ...(mode === 'edit' ? { from: values.text('from') } : {}),
  })
}

export async function loadEdit(visit: Visit, mode: EditMode): Promise<EditData | DirectResponse> {
  if (!visit.viewer)
    return redirect(`/login?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`, 302)
  const name = repoOf(visit)
  const rest = visit.params.rest ?? ''
  const repo = await repoToChange(visit)
  if (repo.empty) {
    if (mode !== 'new') throw new Refusal('not_found', t('This repository has no files yet.'))
    return {
      mode,
      repo,
      branch: repo.default_branch,
      head: null,
      path: '',
      file: null,
      barrier: null,
      moved: false,
      preview: await previewOf(visit, mode, name, null),
    }
  }
  const { values } = visit.form
  const sent = values.has('branch')
  const at = await (sent
    ? visit.tryCall(locateCode, { repo: name, rest })
    : visit.call(locateCode, { repo: name, rest }))
  const branch = at?.ref ?? values.text('branch')
  const path = at?.path ?? values.text('from')
  if (at !== null && at.kind !== 'branch')
    return redirect(codePath(repo.full_name, 'blob', at.ref, at.path), 302)
  if (at !== null && !sent && (mode === 'new') !== (at.type === 'dir'))
    return redirect(
      codePath(repo.full_name, at.type === 'dir' ? 'tree' : 'blob', at.ref, at.path),
      302,
    )
  const file =
    mode === 'new' || at === null || at.sha === null
      ? null
      : await readWhole(visit, name, at.sha, at.path)
  const head =
    at?.sha ?? (await visit.tryCall(getBranch, { repo: name, branch }))?.commit.sha ?? null
  return {
    mode,
    repo,
    branch,
    head,
    path,
    file,
    barrier: repo.permissions.write ? await findBarrier(visit, repo, branch) : null,
    moved: sent && mode !== 'new' && values.text('oid') !== (file?.oid ?? ''),
    preview: await previewOf(visit, mode, name, head),
  }
}
