/**
 * Writes the files of a commit for a job, and a repository around them when the job asks for its
 * history. Other repositories are read with the rights of the job's token, or of a token that the
 * step gives.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decide, readsRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { checkOutCommit } from '#features/checks/index.ts'
import { branchOf, refsOf, repoById, resolveCommit, type RepoRow } from '#features/repos/index.ts'
import type { JobToRun } from '#features/workflows/index.ts'
import type { Oid, Ref } from '#git'
import { Refusal } from '#lib/errors.ts'
import type { CheckoutSource } from './execute/job-input.ts'

/**
 * Returns the commit. `address` is where the job reaches the forge. Throws an Error with one line
 * for the author of the workflow.
 */
export async function checkOutForJob(
  hearth: Hearth,
  job: JobToRun,
  folder: string,
  source: CheckoutSource,
  address = hearth.settings.site_url,
): Promise<Oid> {
  try {
    const repo = findRepo(hearth, job, source)
    const isOwn = repo.id === job.repo.id
    const name = source.ref ?? (isOwn ? null : repo.default_branch)
    const commit = name === null ? job.run.sha : await resolveCommit(hearth, repo, name)
    await checkOutCommit(hearth, repo.store, commit, folder, hearth.settings.checks.disk)
    if (source.history !== 'none') {
      const branch = name === null ? branchOf(job.run.ref) : branchNamed(hearth, repo, name)
      const { token } = job
      await writeRepository(hearth, { repo, commit, branch, source, token, folder, address })
    }
    return commit
  } catch (error) {
    if (error instanceof Refusal) throw new Error(`${source.repository}: ${error.message}`)
    throw error
  }
}

/** The files of the run's own repository need no right: they are what the job is about. */
function findRepo(hearth: Hearth, job: JobToRun, { repository, token }: CheckoutSource): RepoRow {
  if (repository.toLowerCase() === job.repo.full_name.toLowerCase()) {
    const own = repoById(hearth.db, job.repo.id)
    if (own) return own
  }
  const caller = hearth.callers.byToken(token ?? job.token)
  if (!caller) throw new Error(`The token for ${repository} is not valid`)
  const { repo } = decide(
    readsRepo({ scope: 'code:read' }),
    caller,
    { repo: repository },
    hearth.facts,
  )
  const row = repo && repoById(hearth.db, repo.id)
  if (!row) throw new Error(`${repository} is not here`)
  return row
}

const branchNamed = (hearth: Hearth, repo: RepoRow, name: string): string | null => {
  const full = name.startsWith('refs/') ? name : `refs/heads/${name}`
  return refsOf(hearth, repo.id).refs.some((ref) => ref.name === full) ? branchOf(full) : null
}

type Repository = {
  readonly repo: RepoRow
  readonly commit: Oid
  /** The branch that is checked out; null for a commit alone. */
  readonly branch: string | null
  readonly source: CheckoutSource
  readonly token: string
  readonly folder: string
  readonly address: string
}

/** Writes `.git` beside the files. Its index is made in the sandbox. */
async function writeRepository(hearth: Hearth, parts: Repository): Promise<void> {
  const { repo, commit, branch, source, folder } = parts
  const known = refsOf(hearth, repo.id)
  const head = branch === null ? 'refs/hearth/checkout' : `refs/heads/${branch}`
  const fetched: Ref[] =
    source.history === 'all'
      ? known.refs.flatMap((ref) => {
          const name = branchOf(ref.name)
          if (name !== null) return [{ ...ref, name: `refs/remotes/origin/${name}` }]
          return ref.name.startsWith('refs/tags/') ? [ref] : []
        })
      : []
  const refs = [...fetched, { name: head, oid: commit, peeled: null }].sort((a, b) =>
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
  )
  const directory = join(folder, '.git')
  const generation = `checkout ${commit} ${head} ${source.history} ${known.generation}`
  await hearth.git.exportBare(repo.store, { generation, head, refs }, directory)
  if (branch === null) await writeFile(join(directory, 'HEAD'), `${commit}\n`)
  const path = join(directory, 'config')
  const config = await readFile(path, 'utf8')
  await writeFile(path, config.replace(/bare *= *true/, 'bare = false') + remoteOf(parts))
}

function remoteOf({ branch, source, token, address: url }: Repository): string {
  const lines = [
    '[remote "origin"]',
    `\turl = ${url}/${source.repository}.git`,
    '\tfetch = +refs/heads/*:refs/remotes/origin/*',
  ]
  if (branch !== null)
    lines.push(
      `[branch "${branch.replaceAll(/["\\]/g, '\\$&')}"]`,
      '\tremote = origin',
      `\tmerge = refs/heads/${branch}`,
    )
  if (source.keepsToken) {
    const basic = Buffer.from(`x-access-token:${source.token ?? token}`).toString('base64')
    lines.push(`[http "${url}/"]`, `\textraheader = AUTHORIZATION: basic ${basic}`)
  }
  return `${lines.join('\n')}\n`
}
