/**
 * Workflow files of a commit, and what they say. A file is read in a thread, once for each content:
 * the model is stored under the id of its blob.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { WorkflowReader, type Problem, type Workflow } from '#actions'
import { workflowFolders, type RepoRow } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { invalid } from '#lib/errors.ts'
import { findModel, putModel } from './store-workflows.ts'

/** Of the first folder that exists, all files are read; of the others none. */
export const WORKFLOW_FOLDERS = ['.hearth/workflows', '.github/workflows'] as const
/** Where files may be, with those of the forge that a mirror follows. */
export const ALL_WORKFLOW_FOLDERS = [
  ...WORKFLOW_FOLDERS,
  '.gitea/workflows',
  '.forgejo/workflows',
] as const
const MAX_FILES = 100
const MAX_FILE_BYTES = 256 * 1024

/** Raised when models of another format would be misread. */
const MODEL_FORMAT = 2

export type WorkflowFile = { readonly path: string; readonly blob: Oid }
export type ReadFile = WorkflowFile & {
  /** Null for a file with problems. */
  readonly workflow: Workflow | null
  readonly problems: readonly Problem[]
}

const reader = service('workflow reader', () => new WorkflowReader(), {
  close: (value) => value.close(),
})

/** The workflow files of a commit, by path; none when there is no folder with workflows. */
export async function listWorkflowFiles(
  hearth: Hearth,
  repo: Pick<RepoRow, 'id' | 'store'>,
  commit: Oid,
): Promise<readonly WorkflowFile[]> {
  const own = await filesOfFirst(hearth, repo.store, commit, WORKFLOW_FOLDERS)
  const remote = workflowFolders.all(hearth).flatMap((of) => of(hearth.db, repo.id))
  const more = await filesOfFirst(hearth, repo.store, commit, remote)
  const known = new Set(own.map(({ path }) => path))
  return [...own, ...more.filter(({ path }) => !known.has(path))].slice(0, MAX_FILES)
}

/** The workflow files of the first folder that exists. */
async function filesOfFirst(
  { git }: Hearth,
  store: string,
  commit: Oid,
  folders: readonly string[],
): Promise<readonly WorkflowFile[]> {
  for (const folder of folders) {
    const entries = await git.listTree(store, commit, folder)
    if (entries === null) continue
    return entries
      .filter(({ type, path }) => type === 'file' && /\.ya?ml$/.test(path))
      .map(({ path, oid }) => ({ path: `${folder}/${path}`, blob: oid }))
      .sort((a, b) => (a.path < b.path ? -1 : 1))
  }
  return []
}

/** What a file says. Reads it from git and parses it only when its content is new. */
export async function readWorkflowFile(
  hearth: Hearth,
  repo: Pick<RepoRow, 'id' | 'store'>,
  { path, blob }: WorkflowFile,
): Promise<ReadFile> {
  const stored = findModel(hearth.db, repo.id, blob, path)
  if (stored?.format === MODEL_FORMAT)
    return {
      path,
      blob,
      workflow: stored.model === null ? null : decodeModel(stored.model),
      problems: JSON.parse(stored.problems) as Problem[],
    }
  const { workflow, problems } = await parseFile(hearth, repo, { path, blob })
  await writeAs(hearth, null, (tx) =>
    putModel(tx, {
      repo_id: repo.id,
      blob,
      path,
      format: MODEL_FORMAT,
      model: workflow === null ? null : encodeModel(workflow),
      problems: JSON.stringify(problems),
    }),
  )
  return { path, blob, workflow, problems }
}

/** One workflow file of a commit. Throws 422 for `ref` when the commit has none at the path. */
export async function readFileAt(
  hearth: Hearth,
  repo: Pick<RepoRow, 'id' | 'store'>,
  commit: Oid,
  path: string,
): Promise<ReadFile> {
  const entry = await hearth.git.findEntry(repo.store, commit, path)
  if (entry?.type !== 'file') throw invalid('ref', `${path} is not there at this branch or tag`)
  return readWorkflowFile(hearth, repo, { path, blob: entry.oid })
}

async function parseFile(
  hearth: Hearth,
  { id, store }: Pick<RepoRow, 'id' | 'store'>,
  { path, blob }: WorkflowFile,
): Promise<{ workflow: Workflow | null; problems: readonly Problem[] }> {
  const file = await hearth.git.readBlob(store, blob, MAX_FILE_BYTES + 1)
  const fault = (text: string) => ({
    workflow: null,
    problems: [{ file: path, line: 1, column: 1, text }],
  })
  if (!file) return fault('The file is missing')
  if (file.data.length > MAX_FILE_BYTES) return fault('The file has more than 256 KB')
  return reader(hearth).read(new TextDecoder().decode(file.data), path, id)
}

/** The stored model of a file; null when it was not read by this version, or has problems. */
export function readStoredModel(
  db: Db,
  repo_id: string,
  { path, blob }: WorkflowFile,
): Workflow | null {
  const stored = findModel(db, repo_id, blob, path)
  return stored?.format === MODEL_FORMAT && stored.model !== null ? decodeModel(stored.model) : null
}

const encodeModel = (workflow: Workflow): Uint8Array =>
  Bun.zstdCompressSync(Buffer.from(JSON.stringify(workflow)))

const decodeModel = (bytes: Uint8Array): Workflow =>
  JSON.parse(Bun.zstdDecompressSync(bytes).toString()) as Workflow

/** JSON of an event, compressed. */
export const encodePayload = (payload: unknown): Uint8Array =>
  Bun.zstdCompressSync(Buffer.from(JSON.stringify(payload)))

export const decodePayload = <T>(bytes: Uint8Array): T =>
  JSON.parse(Bun.zstdDecompressSync(bytes).toString()) as T
