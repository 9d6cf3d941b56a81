import { writesRepo, type RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Type, type Static } from '#core/schema.ts'
import type { FileChange, Oid } from '#git'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { commitIdentity } from '#features/accounts/index.ts'
import { branchNotFound } from '../branches/branch-record.ts'
import { commitRecord } from './commit-records.ts'
import { requireMovesAllowed } from '../refs/move-guard.ts'
import { scanRange, scanPush, throwIfRefused } from '../push/push-protection.ts'
import { auditBypass, findPushProblem } from '../push/push-rules.ts'
import { branchRef, shortNameProblem } from '../refs/ref-names.ts'
import { moveRefs, prepareUpdate } from '../refs/move-refs.ts'
import { refuseBadInput, parseTreePath } from '../refs/resolve-commit.ts'
import { BranchName, CommitRecord, TreePath } from '../schema.ts'
import { requireRepo } from '../store/repos.ts'
import { hasBranches, readRef } from '../store/refs.ts'

/** 25 MiB in base64, which the page of uploads allows. REST and tools allow smaller requests. */
const MAX_CONTENT_CHARACTERS = 34 << 20

const FileInput = Type.Object({
  path: TreePath,
  action: OneOf(['put', 'delete', 'move'], {
    description: 'put writes the whole file; move keeps its content.',
  }),
  content: Type.Optional(
    Type.String({
      maxLength: MAX_CONTENT_CHARACTERS,
      description: 'For put; REST takes 1 MiB a request.',
    }),
  ),
  encoding: Type.Optional(
    OneOf(['utf-8', 'base64'], { description: 'Of content; utf-8 unless given.' }),
  ),
  from: Type.Optional(TreePath),
  mode: Type.Optional(
    OneOf(['100644', '100755', '120000'], { description: 'An ordinary file unless given.' }),
  ),
})

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function decodeContent(file: Static<typeof FileInput>, field: string): Uint8Array {
  if (file.content === undefined)
    throw invalid(`${field}.content`, `${file.path}: put needs content`)
  if (file.encoding !== 'base64') return new TextEncoder().encode(file.content)
  const text = file.content.replace(/\s+/g, '')
  if (!BASE64.test(text)) throw invalid(`${field}.content`, `${file.path}: content is not base64`)
  return new Uint8Array(Buffer.from(text, 'base64'))
}

function parseFileChange(file: Static<typeof FileInput>, field: string): FileChange {
  const path = parseTreePath(file.path, `${field}.path`)
  if (path === '') throw invalid(`${field}.path`, 'a path is required')
  if (file.action === 'delete') return { action: 'delete', path }
  if (file.action === 'put')
    return { action: 'put', path, data: decodeContent(file, field), mode: file.mode }
  if (!file.from) throw invalid(`${field}.from`, `${path}: move needs from`)
  return { action: 'move', path, from: parseTreePath(file.from, `${field}.from`) }
}

const headMoved = (branch: string, actual: string | null) =>
  conflict('head_moved', `${branch} has moved: read it again and repeat your change`, {
    branch,
    actual,
  })

/** Returns the record of a commit that was just written, with the counts of its changes. */
async function recordOfNewCommit(
  hearth: Hearth,
  repo: RepoGrant,
  parent: Oid | null,
  oid: Oid,
): Promise<CommitRecord> {
  const commit = await hearth.git.readCommit(repo.store, oid)
  if (!commit) throw notFound(`the commit ${oid}`)
  const { totals } = await hearth.git.diff(repo.store, parent, oid, { hunks: false })
  return commitRecord(hearth, repo, commit, totals)
}

/** Throws 422 unless a branch can have this name. */
function requireBranchName(field: 'branch' | 'new_branch', branch: string): void {
  const problem = shortNameProblem('heads', branch)
  if (problem) throw invalid(field, `the name of the branch ${problem}`)
}

export const createCommit = operation({
  name: 'create_commit',
  summary:
    'Commit changes to up to 500 files on a branch (Write), all or nothing, without a clone. new_branch puts the commit on a new branch instead; expected_head refuses when the branch has moved.',
  keywords: [
    'edit a file',
    'change a file',
    'write a file',
    'create a file',
    'add a file',
    'delete a file',
    'update contents',
    'commit without git',
    'commit without a clone',
    'save changes',
    'push a file',
  ],
  route: 'POST /repos/{owner}/{name}/commits',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({
    repo: RepoPath,
    branch: BranchName,
    message: Type.String({ minLength: 1, maxLength: 65536 }),
    files: Type.Array(FileInput, { minItems: 1, maxItems: 500 }),
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
      throw branchNotFound(branch)
    if (expected_head !== undefined && !parent?.startsWith(expected_head.toLowerCase()))
      throw headMoved(branch, parent)
    requireBranchName(new_branch === undefined ? 'branch' : 'new_branch', new_branch ?? branch)
    const name = branchRef(new_branch ?? branch)
    const old = new_branch === undefined ? parent : null
    const check = () => {
      if (new_branch !== undefined && readRef(db, repo.id, name) !== null)
        throw conflict('already_exists', `the branch ${new_branch} exists already`)
      const problem = findPushProblem(
        db,
        { row: requireRepo(db, repo.id), can: repo.can },
        { name, old, new: parent },
      )
      if (problem) throw forbidden('role', problem)
    }
    check()
    const changes = files.map((file, index) => parseFileChange(file, `files[${index}]`))
    const identity = commitIdentity(hearth, caller)
    const { commit: oid } = await refuseBadInput('files', () =>
      git.commitFiles(repo.store, {
        parent,
        changes,
        message: message.endsWith('\n') ? message : `${message}\n`,
        author: identity,
        committer: identity,
      }),
    )
    const update = await prepareUpdate(hearth, repo, { name, old, new: oid })
    const range = { tips: [oid], hide: parent === null ? [] : [parent] }
    const { refused, later } = await scanRange({ hearth, caller }, requireRepo(db, repo.id), range)
    throwIfRefused(refused)
    const guard = await requireMovesAllowed(hearth, repo.id, caller, [update])
    const record = await recordOfNewCommit(hearth, repo, parent, oid)
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
