/**
 * Imports a repository that `hearth export` wrote, for the command line. It is an import like one
 * from another forge, so that one that was cut off goes on where it stopped.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { createRepoWithStore, repoByPath, requireRepo, wikiCopiers } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { resolve } from 'node:path'
import type { ForeignRepo } from '../forges/forge.ts'
import { rememberFacts, runForgeSteps, StepFailed, type ForgeImport } from '../forge-import.ts'
import { finishImport, importCode } from '../run-import.ts'
import type { StepName } from '../schema.ts'
import {
  errorsOf,
  findLatestImport,
  insertImport,
  requireImport,
  setEnded,
  setStarted,
  type ImportRow,
} from '../store.ts'
import { writeForImport } from '../steps/run-step.ts'
import { findStep, insertStep, isStepDone, setStep } from '../store-steps.ts'
import { withLocalTransport } from './local-transport.ts'
import { largeFilesOf, readAbout, RecordsForge, recordFiles } from './records-forge.ts'

const STEPS = [
  'code',
  'large_files',
  'wiki',
  'labels',
  'milestones',
  'issues',
  'pulls',
  'comments',
  'reviews',
  'timeline',
  'releases',
] as const satisfies readonly StepName[]

/** Where the people stand who wrote the records. */
const HOST = 'hearth-records'

export type ExportedRepo = {
  /** The bare repository. */
  readonly git: string
  /** The bare repository of the wiki; null without one. */
  readonly wiki: string | null
  /** The directory with the records. */
  readonly records: string
  /** A directory for temporary files, in which the fetch makes one. */
  readonly tmp: string
}

/** The repository here, as the workspace and the name. */
export type Target = { readonly workspace: string; readonly name: string }

export type ImportedRepo = { readonly state: string; readonly errors: readonly string[] }

const urlOf = ({ records }: ExportedRepo): string => `file://${resolve(records)}`

function beginImport(tx: Tx, repo_id: string, url: string, created_by: string): ImportRow {
  const id = typeId('imp', tx.now_ms)
  insertImport(tx, { id, repo_id, source: 'git', url, secret: null, created_by })
  for (const step of STEPS) insertStep(tx, id, step)
  return requireImport(tx.db, id)
}

/** The import that was cut off before, or a new one into a new repository. */
async function findOrBegin(
  hearth: Hearth,
  caller: SignedIn,
  from: ExportedRepo,
  { workspace, name }: Target,
): Promise<ImportRow> {
  const about = readAbout(from.records)
  const url = urlOf(from)
  const there = repoByPath(hearth.db, `${workspace}/${name}`)
  if (there && there.deleted_at === null) {
    const row = findLatestImport(hearth.db, there.id)
    if (row !== null && row.url === url && row.finished_at === null) return row
    throw conflict('already_exists', `${workspace}/${name} exists already`)
  }
  const description = about.optional('description')
  return await createRepoWithStore(
    {
      hearth,
      db: hearth.db,
      git: hearth.git,
      caller,
      write: (run) => writeAs(hearth, caller, run),
      now_ms: hearth.clock.now(),
    },
    {
      workspace,
      name,
      private: about.is('private'),
      ...(description === null ? {} : { description: description.slice(0, 350) }),
    },
    { imported: HOST, finish: (tx, repo) => beginImport(tx, repo.id, url, caller.id) },
  )
}

async function importWiki(
  hearth: Hearth,
  row: ImportRow,
  { wiki, tmp }: ExportedRepo,
  signal: AbortSignal,
): Promise<void> {
  const step = findStep(hearth.db, row.id, 'wiki')
  const [copy] = wikiCopiers.all(hearth)
  if (!step || isStepDone(step)) return
  const repo = requireRepo(hearth.db, row.repo_id)
  const source = { url: row.url, secret: null, actor_id: row.created_by, signal }
  const found =
    wiki !== null &&
    copy !== undefined &&
    (await withLocalTransport(wiki, tmp, (transport) =>
      copy(hearth, repo, { ...source, transport }),
    ))
  await writeForImport({ hearth, row, repo }, (tx) =>
    setStep(tx, row.id, 'wiki', { state: 'done', done: found ? 1 : 0, total: found ? 1 : 0 }),
  )
}

/** Imports all of it. What is wrong with single records is in the errors of the result. */
export async function importExportedRepo(
  hearth: Hearth,
  caller: SignedIn,
  from: ExportedRepo,
  target: Target,
  signal: AbortSignal,
): Promise<ImportedRepo> {
  const { id } = await findOrBegin(hearth, caller, from, target)
  await writeAs(hearth, null, (tx) => setStarted(tx, id))
  const row = requireImport(hearth.db, id)
  const forge = new RecordsForge(from.records, signal)
  try {
    const known = row.facts === null ? null : (JSON.parse(row.facts) as ForeignRepo)
    const facts = known ?? (await forge.repo())
    if (known === null) await rememberFacts(hearth, row, facts)
    if (row.code_complete === 0)
      await withLocalTransport(from.git, from.tmp, (transport) =>
        importCode(hearth, row, facts, null, signal, {
          transport,
          openFile: largeFilesOf(from.git),
        }),
      )
    await importWiki(hearth, row, from, signal)
    const url = readAbout(from.records).text('html_url')
    const open = { forge, client: recordFiles(from.records) }
    const other: ForgeImport = { facts, open, host: HOST, url: url === '' ? row.url : url }
    await runForgeSteps(hearth, row, other, null, signal)
    await finishImport(hearth, row)
  } catch (error) {
    if (signal.aborted) throw error
    await writeAs(hearth, null, (tx) => {
      const message = error instanceof Error ? error.message : String(error)
      setEnded(tx, id, 'failed', [...errorsOf(requireImport(tx.db, id)), message])
    })
    throw error instanceof StepFailed ? error.cause : error
  }
  const { state, errors } = requireImport(hearth.db, id)
  return { state, errors: JSON.parse(errors) as string[] }
}
