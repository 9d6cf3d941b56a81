/** The code of an import: objects, large files, and then the refs. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import {
  type CopySource,
  inTransactions,
  largeFileCopiers,
  moveRefs,
  refsOf,
  remoteTransport,
  requireRepo,
  type PreparedUpdate,
} from '#features/repos/index.ts'
import { findQuotaProblem } from '#features/workspaces/index.ts'
import { RemoteError, type FetchResult, type Ref } from '#git'
import { createFetchedRefs, ImportEnded } from './create-fetched-refs.ts'
import { cloneUrlOf } from './forge-import.ts'
import type { ForeignRepo } from './forges/forge.ts'
import { ProgressWriter } from './progress-writer.ts'
import { addErrors, findImport, noteProgress, type ImportRow } from './store.ts'
import { findStep, setStep } from './store-steps.ts'

const PREFIXES = ['refs/heads/', 'refs/tags/']

const isPlainRef = (name: string): boolean => PREFIXES.some((prefix) => name.startsWith(prefix))

/** The number here of the pull request that a ref there is the head of; null for other refs. */
function pullNumberOf({ pull_refs, pull_offset }: ForeignRepo, name: string): number | null {
  const { prefix, suffix } = pull_refs
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return null
  const number = name.slice(prefix.length, name.length - suffix.length)
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) + pull_offset : null
}

const isWantedRef = (pulls: ForeignRepo | null, name: string): boolean =>
  isPlainRef(name) || (pulls !== null && pullNumberOf(pulls, name) !== null)

const withoutPullRefs = (fetched: FetchResult): FetchResult => ({
  ...fetched,
  refs: fetched.refs.filter(({ name }) => isPlainRef(name)),
  refused: fetched.refused.filter(({ name }) => isPlainRef(name)),
})

type RefMove = { readonly name: string; readonly old: null; readonly new: Ref['oid'] }

/** Keeps the head of each pull request under the ref that settled ones have here. */
async function createPullRefs(
  hearth: Hearth,
  row: ImportRow,
  pulls: ForeignRepo,
  fetched: FetchResult,
): Promise<void> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const present = new Set(refsOf(hearth, repo.id).refs.map(({ name }) => name))
  const wanted = fetched.refs.flatMap(({ name, oid }): RefMove[] => {
    const number = pullNumberOf(pulls, name)
    const ours = `refs/pull/${number}/head`
    return number === null || present.has(ours) ? [] : [{ name: ours, old: null, new: oid }]
  })
  if (wanted.length === 0) return
  const facts = await hearth.git.summarizeRefMoves(repo.store, wanted, null)
  const commits = wanted.filter((_, at) => facts[at]?.type === 'commit')
  for (const moves of inTransactions(commits)) {
    const updates: PreparedUpdate[] = moves.map((move) => ({
      ...move,
      peeled: null,
      commits: 0,
      forced: false,
    }))
    await writeAs(hearth, null, (tx) => {
      if (findImport(tx.db, row.id)?.state !== 'running')
        throw new ImportEnded('the import was ended')
      noteProgress(tx, row.id)
      moveRefs(tx, repo, updates, { as: { actor_id: row.created_by } })
    })
  }
}

/** A repository on this machine: its objects, and its large files. */
export type LocalRepo = Required<Pick<CopySource, 'transport' | 'openFile'>>

/**
 * Files travel before the refs that name them, so that no checkout fails. Those that are left out
 * are errors of the import at once.
 */
async function copyLargeFiles(
  hearth: Hearth,
  row: ImportRow,
  source: Omit<CopySource, 'actor_id'>,
  fetched: FetchResult,
): Promise<void> {
  const [copier] = largeFileCopiers.all(hearth)
  if (!copier || findStep(hearth.db, row.id, 'large_files') === null) return
  const repo = requireRepo(hearth.db, row.repo_id)
  const peeled = await Promise.all(
    [...new Set(fetched.refs.map(({ oid }) => oid))].map((oid) =>
      hearth.git.peelToCommit(repo.store, oid),
    ),
  )
  const tips = peeled.filter((oid) => oid !== null)
  const { files, problems } = await copier.download(
    hearth,
    repo,
    { ...source, actor_id: row.created_by },
    { tips, hide: [] },
  )
  await writeAs(hearth, null, (tx) => {
    noteProgress(tx, row.id)
    addErrors(tx, row.id, problems)
    setStep(tx, row.id, 'large_files', {
      state: problems.length > 0 ? 'done_with_errors' : 'done',
      done: files,
      total: files + problems.length,
    })
  })
}

/**
 * Fetches all objects and creates the refs. Returns what was left out, and whether objects were not
 * scanned for SHA-1 collisions.
 */
export async function copyRepository(
  hearth: Hearth,
  row: ImportRow,
  facts: ForeignRepo | null,
  secret: string | null,
  signal: AbortSignal,
  local: LocalRepo | null = null,
): Promise<{ left: string[]; unscanned: boolean }> {
  const repo = requireRepo(hearth.db, row.repo_id)
  const url = facts === null || local !== null ? row.url : cloneUrlOf(row.url)
  const pulls = facts === null || findStep(hearth.db, row.id, 'pulls') === null ? null : facts
  const teller = new ProgressWriter(hearth, row.id)
  let left: string[] = []
  let tooMuch: string | null = null
  try {
    const fetched = await hearth.git.fetchFrom(
      repo.store,
      local?.transport ?? remoteTransport(hearth, { url, secret }),
      {
        url,
        prefixes: pulls === null ? PREFIXES : [...PREFIXES, pulls.pull_refs.prefix],
        selectRefs: ({ refs }) => refs.filter(({ name }) => isWantedRef(pulls, name)),
        local: refsOf(hearth, repo.id),
        ownStore: true,
        signal,
        onProgress: (progress) => teller.update(progress),
        apply: async (fetched) => {
          await teller.flush()
          tooMuch = findQuotaProblem(hearth, repo.workspace_id, 'repos_bytes', fetched.bytes)
          if (tooMuch !== null) return false
          await copyLargeFiles(hearth, row, { url, secret, signal, ...local }, fetched)
          left = await createFetchedRefs(hearth, row, withoutPullRefs(fetched))
          if (pulls !== null) await createPullRefs(hearth, row, pulls, fetched)
          return true
        },
      },
    )
    if (tooMuch !== null) throw new RemoteError('invalid', tooMuch)
    if (fetched.refs.length === 0 && fetched.refused.length > 0)
      throw new RemoteError('invalid', left[0] ?? 'nothing of it can be taken')
    return { left, unscanned: fetched.unscanned }
  } finally {
    await teller.flush()
  }
}
