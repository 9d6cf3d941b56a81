import { writesRepo, type RepoGrant } from '#core/access.ts'
import { storeBlob } from '#core/blobs.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { FreeForm, RepoPath, Sha, Type, type Static } from '#core/schema.ts'
import { requireLive, requireRepo, resolveCommit, tokenRuns } from '#features/repos/index.ts'
import { requirePull } from '#features/pulls/index.ts'
import { conflict, invalid, notFound, Refusal } from '#lib/errors.ts'
import { processUpload } from './process-upload.ts'
import { NewSarifUpload } from './schema.ts'
import { sarifThread } from './sarif/sarif-thread.ts'
import { countPendingUploads, insertUpload } from './store-analyses.ts'

const MAX_COMPRESSED_BYTES = 10 * 1024 ** 2
/** Base64 is a third longer, and the file may come as it is. */
const BODY_LIMIT = 15 * 1024 ** 2
/** Uploads of one repository that wait. */
const MAX_PENDING = 100

const Sarif = Type.Union([Type.String({ minLength: 2, maxLength: BODY_LIMIT }), FreeForm()], {
  description:
    'SARIF 2.1.0: base64 of the file or of its gzip (10 MiB at most), or the JSON itself.',
})

/** The bytes of the file, compressed or not. Throws 422 for text that is neither JSON nor base64. */
function bytesOf(sarif: Static<typeof Sarif>): Uint8Array {
  const text = typeof sarif === 'string' ? sarif.trim() : JSON.stringify(sarif)
  if (text.startsWith('{')) return new TextEncoder().encode(text)
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 0 || !/^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text.slice(-4_000)))
    throw invalid('sarif', 'sarif must be base64 of the file or of its gzip, or the JSON itself')
  if (bytes.length > MAX_COMPRESSED_BYTES)
    throw invalid('sarif', 'sarif is larger than the 10 MiB that are taken: compress it with gzip')
  return bytes
}

const PULL_REF = /^refs\/pull\/([1-9]\d{0,8})\/(?:head|merge)$/

/** The pull request of a ref. Throws 422 for a ref of another form, and 404 for an unknown one. */
function pullOfRef(db: Db, repo: RepoGrant, git_ref: string): number | null {
  const number = PULL_REF.exec(git_ref)?.[1]
  if (number !== undefined) return requirePull(db, repo.id, Number(number)).number
  if (!/^refs\/(heads|tags)\/[^\s\0]+$/.test(git_ref))
    throw invalid(
      'git_ref',
      'git_ref must be refs/heads/<branch>, refs/tags/<tag>, refs/pull/<number>/head or refs/pull/<number>/merge',
    )
  return null
}

/** Throws 422 for a commit that is not there. The test merges of pull requests may be gone. */
async function requireCommit(hearth: Hearth, repo: RepoGrant, sha: string): Promise<void> {
  try {
    await resolveCommit(hearth, requireRepo(hearth.db, repo.id), sha, 'commit_sha')
  } catch (error) {
    if (error instanceof Refusal && error.code === 'not_found')
      throw invalid(
        'commit_sha',
        `${repo.full_name} has no commit ${sha.slice(0, 10)}: push it first`,
      )
    throw error
  }
}

/** The token of a job may upload only when its run is trusted. */
const isVouched = (hearth: Hearth, db: Db, caller: SignedIn): boolean =>
  caller.kind !== 'agent' ||
  tokenRuns.all(hearth).some((find) => find(db, caller.token.id) !== null)

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

export const uploadSarif = operation({
  name: 'upload_sarif',
  summary:
    'Upload what a scanner found in a commit, as SARIF 2.1.0 (Write). It is processed afterwards: ask get_sarif with the id of the answer. Each run replaces the analysis before it of the same tool, category and ref.',
  keywords: ['code scanning results', 'static analysis', 'semgrep', 'codeql', 'scanner report'],
  route: 'POST /repos/{owner}/{name}/code-scanning/sarifs',
  toolset: 'security',
  access: writesRepo('write', { scope: 'security:write' }),
  bodyLimit: BODY_LIMIT,
  input: Type.Object({
    repo: RepoPath,
    commit_sha: Sha,
    git_ref: Type.String({ maxLength: 1_000, description: 'The full name of the ref.' }),
    sarif: Sarif,
    category: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Tells several analyses of one tool apart; by default what the file says.',
      }),
    ),
    tool_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Instead of the name in the file.',
      }),
    ),
    started_at: Type.Optional(Type.String({ format: 'date-time', maxLength: 40 })),
  }),
  output: NewSarifUpload,
  status: 202,

  handler: async ({ hearth, db, repo, caller, write, signal }, input) => {
    if (repo.parent_id !== null) throw notFound(`the repository ${repo.full_name}`)
    const pull = pullOfRef(db, repo, input.git_ref)
    if (pull === null) await requireCommit(hearth, repo, input.commit_sha)
    const bytes = bytesOf(input.sarif)
    await sarifThread(hearth).countRuns(caller.id, bytes, signal)
    const { sha256 } = await storeBlob(hearth, once(bytes), { maxBytes: BODY_LIMIT, signal })
    return write((tx) => {
      requireLive(tx.db, repo.id)
      if (countPendingUploads(tx.db, repo.id, MAX_PENDING) >= MAX_PENDING)
        throw conflict(
          'limit_reached',
          `${MAX_PENDING} uploads of this repository wait already: upload again when they are done`,
        )
      const id = typeId('sar', tx.now_ms)
      insertUpload(tx, {
        id,
        repo_id: repo.id,
        commit_sha: input.commit_sha,
        git_ref: input.git_ref,
        pull,
        category: input.category?.trim() || null,
        tool_name: input.tool_name?.trim() || null,
        sha256,
        created_by: caller.id,
        is_vouched: isVouched(hearth, tx.db, caller) ? 1 : 0,
      })
      tx.enqueue(processUpload, { upload: id })
      return {
        id,
        url: `${hearth.settings.site_url}/api/v1/repos/${repo.full_name}/code-scanning/sarifs/${id}`,
      }
    })
  },
})
