/**
 * Tells a pusher which workflow files have errors: one line each, and the push goes on. Read are
 * only files of folders that the push changed; what is read is kept for the runs that follow.
 */
import type { Hearth } from '#core/hearth.ts'
import {
  branchOf,
  branchRef,
  pushNotes,
  readRef,
  repoById,
  type RepoRow,
} from '#features/repos/index.ts'
import type { Oid, RefUpdate } from '#git'
import { isWithoutWorkflows } from './commits-without-workflows.ts'
import { listWorkflowFiles, readWorkflowFile, ALL_WORKFLOW_FOLDERS } from './workflow-files.ts'

/** One push tells about at most this many branches and files. */
const MAX_BRANCHES = 3
const MAX_FILES = 20

async function linesOf(
  hearth: Hearth,
  row: RepoRow,
  updates: readonly RefUpdate[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const branches = updates.filter(({ name, new: to }) => to !== null && branchOf(name) !== null)
  const told = new Set<Oid>()
  const lines: string[] = []
  for (const { old, new: tip } of branches.slice(0, MAX_BRANCHES)) {
    if (tip === null || isWithoutWorkflows(hearth, tip)) continue
    const before = old ?? trunkBefore(hearth, row, updates)
    if (!(await hasChanged(hearth, row.store, before, tip))) continue
    const known = before === null ? [] : await listWorkflowFiles(hearth, row, before)
    const old_blobs = new Set(known.map(({ blob }) => blob))
    for (const file of await listWorkflowFiles(hearth, row, tip)) {
      if (signal.aborted || told.size >= MAX_FILES) return lines
      if (old_blobs.has(file.blob) || told.has(file.blob)) continue
      told.add(file.blob)
      const [problem] = (await readWorkflowFile(hearth, row, file)).problems
      if (problem) lines.push(`${file.path}:${problem.line}:${problem.column} ${problem.text}`)
    }
  }
  return lines
}

/** Where the default branch was before the push: a new branch is compared with it. */
function trunkBefore(hearth: Hearth, row: RepoRow, updates: readonly RefUpdate[]): Oid | null {
  const now = repoById(hearth.db, row.id) ?? row
  const trunk = branchRef(now.default_branch)
  const moved = updates.find(({ name }) => name === trunk)
  return moved ? moved.old : readRef(hearth.db, row.id, trunk)
}

/** Whether a folder of workflow files is another one now: its id says so without reading it. */
async function hasChanged(
  { git }: Hearth,
  store: string,
  before: Oid | null,
  tip: Oid,
): Promise<boolean> {
  if (before === tip) return false
  for (const folder of ALL_WORKFLOW_FOLDERS) {
    const now = (await git.findEntry(store, tip, folder))?.oid
    const then = before === null ? undefined : (await git.findEntry(store, before, folder))?.oid
    if (now !== undefined && now !== then) return true
  }
  return false
}

export const problemsOfPush = pushNotes.with(linesOf)
