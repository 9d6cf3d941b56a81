import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type, type Static } from '#core/schema.ts'
import type { FileChange } from '#git'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { noSuchBranch } from './branch-record.ts'
import { commitRecord } from './commit-records.ts'
import { requireMoves } from './move-guard.ts'
import { scanBefore, scanPush } from './push-protection.ts'
import { auditBypass, checkPush } from './push-rules.ts'
import { branchRef, shortNameProblem } from './ref-names.ts'
import { moveRefs, prepareUpdate } from './refs.ts'
import { blameInput, treePath } from './resolve.ts'
import { BranchName, CommitRecord, TreePath } from './schema.ts'
import { requireRepo } from './store.ts'
import { hasBranches, readRef } from './store-refs.ts'

const File = Type.Object({
  path: TreePath,
  action: OneOf(['put', 'delete', 'move'], {
    description: 'put writes the whole file; move keeps its content.',
  }),
  content: Type.Optional(Type.String({ description: 'For put.' })),
  encoding: Type.Optional(
    OneOf(['utf-8', 'base64'], { description: 'Of content; utf-8 unless given.' }),
  ),
  from: Type.Optional(TreePath),
  mode: Type.Optional(
    OneOf(['100644', '100755', '120000'], { description: 'An ordinary file unless given.' }),
  ),
})

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function contentOf(file: Static<typeof File>, field: string): Uint8Array {
  if (file.content === undefined)
    throw invalid(`${field}.content`, `${file.path}: put needs content`)
  if (file.encoding !== 'base64') return new TextEncoder().encode(file.content)
  const text = file.content.replace(/\s+/g, '')
  if (!BASE64.test(text)) throw invalid(`${field}.content`, `${file.path}: content is not base64`)
  return new Uint8Array(Buffer.from(text, 'base64'))
}

function changeOf(file: Static<typeof File>, field: string): FileChange {
  const path = treePath(file.path, `${field}.path`)
  if (path === '') throw invalid(`${field}.path`, 'a path is required')
  if (file.action === 'delete') return { action: 'delete', path }
  if (file.action === 'put')
    return { action: 'put', path, data: contentOf(file, field), mode: file.mode }
  if (!file.from) throw invalid(`${field}.from`, `${path}: move needs from`)
  return { action: 'move', path, from: treePath(file.from, `${field}.from`) }
}

const headMoved = (branch: string, actual: string | null) =>
  conflict('head_moved', `${branch} has moved: read it again and repeat your change`, {
    branch,
    actual,
  })

export const createCommit = operation({
  name: 'create_commit',
  summary:
    'Commit changes to up to 500 files on a branch (Write), all or nothing, without a clone. new_branch puts the commit on a new branch instead; expected_head refuses when the branch has moved.',
  route: 'POST /repos/{owner}/{name}/commits',
  toolset: 'code',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    branch: BranchName,
    message: Type.String({ minLength: 1, maxLength: 65536 }),
    files: Type.Array(File, { minItems: 1, maxItems: 500 }),
    expected_head: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{7,40}$',
        description: 'The commit that the branch must still be at.',
      }),
    ),
    new_branch: Type.Optional(BranchName),
  }),
  output: CommitRecord,
  status: 201,

  handler: async (
    { hearth, db, git, repo, caller, write },
    { branch, message, files, expected_head, new_branch },
  ) => {
    if (message.trim() === '') throw invalid('message', 'message must not be empty')
    const parent = readRef(db, repo.id, branchRef(branch))
    if (parent === null && (hasBranches(db, repo.id) || new_branch !== undefined))
      throw noSuchBranch(branch)
    if (expected_head !== undefined && !parent?.startsWith(expected_head.toLowerCase()))
      throw headMoved(branch, parent)
    const onto = new_branch ?? branch
    const problem = shortNameProblem('heads', onto)
    if (problem)
      throw invalid(
        new_branch === undefined ? 'branch' : 'new_branch',
        `the name of the branch ${problem}`,
      )
    const name = branchRef(onto)
    const old = new_branch === undefined ? parent : null
    const check = () => {
      if (new_branch !== undefined && readRef(db, repo.id, name) !== null)
        throw conflict('already_exists', `the branch ${new_branch} exists already`)
      const why = checkPush(
        db,
        { row: requireRepo(db, repo.id), can: repo.can },
        { name, old, new: parent },
      )
      if (why) throw forbidden('role', why)
    }
    check()
    const changes = files.map((file, index) => changeOf(file, `files[${index}]`))
    const identity = commitIdentity(hearth, caller)
    const made = await blameInput('files', () =>
      git.commitFiles(repo.store, {
        parent,
        changes,
        message: message.endsWith('\n') ? message : `${message}\n`,
        author: identity,
        committer: identity,
      }),
    )
    const update = await prepareUpdate(hearth, repo, { name, old, new: made.commit })
    const range = { tips: [made.commit], hide: parent === null ? [] : [parent] }
    const { refused, later } = await scanBefore(hearth, requireRepo(db, repo.id), range)
    if (refused !== null) throw forbidden('push_protection', refused)
    const guard = await requireMoves(hearth, repo.id, caller, [update])
    const commit = await git.commit(repo.store, made.commit)
    if (!commit) throw notFound(`the commit ${made.commit}`)
    const record = commitRecord(
      hearth,
      repo,
      commit,
      (await git.diff(repo.store, parent, made.commit, { hunks: false })).totals,
    )
    return write((tx) => {
      check()
      if (later) tx.enqueue(scanPush, { repo_id: repo.id, ...range })
      if (readRef(tx.db, repo.id, branchRef(branch)) !== parent && new_branch === undefined)
        throw headMoved(branch, readRef(tx.db, repo.id, branchRef(branch)))
      guard(tx)
      auditBypass(tx, requireRepo(tx.db, repo.id), [update])
      moveRefs(tx, repo, [update])
      return record
    })
  },
})
