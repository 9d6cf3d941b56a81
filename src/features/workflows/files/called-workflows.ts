/** Reads reusable workflows: of the repository at the commit of the run, or of a public one here. */
import type { Hearth } from '#core/hearth.ts'
import { parseUses } from '#actions'
import { repoById, repoByPath, resolveCommit, type RepoRow } from '#features/repos/index.ts'
import type { Oid } from '#git'
import { Refusal } from '#lib/errors.ts'
import type { RunRow } from '../runs/store-runs.ts'
import { readWorkflowFile, type WorkflowFile } from './workflow-files.ts'

const MAX_DEPTH = 4

/** A called workflow. Its repository and commit are those of the run unless it has its own. */
export type CalledFile = WorkflowFile & { readonly repo_id?: string; readonly sha?: Oid }

type Called = { readonly file: CalledFile } | { readonly problem: string }
type Place = { readonly repo: RepoRow; readonly sha: Oid; readonly path: string }

/** `within` is the called workflow that calls; null for the file of the run. */
export async function readCallee(
  hearth: Hearth,
  run: RunRow,
  { uses, depth }: { uses: string; depth: number },
  within: CalledFile | null,
): Promise<Called> {
  if (depth > MAX_DEPTH)
    return { problem: `Workflows call each other more than ${MAX_DEPTH} levels deep` }
  const place = await findPlace(hearth, run, uses, within)
  if ('problem' in place) return place
  const { repo, sha, path } = place
  const entry = await hearth.git.findEntry(repo.store, sha, path)
  if (entry?.type !== 'file') return { problem: `There is no file ${path}` }
  const file = { path, blob: entry.oid }
  const { workflow, problems } = await readWorkflowFile(hearth, repo, file)
  const [first] = problems
  if (first) return { problem: `${path}:${first.line}:${first.column} ${first.text}` }
  if (!workflow?.on.workflow_call) return { problem: `${path} is not for workflow_call` }
  return {
    file: repo.id === run.repo_id && within === null ? file : { ...file, repo_id: repo.id, sha },
  }
}

async function findPlace(
  hearth: Hearth,
  run: RunRow,
  text: string,
  within: CalledFile | null,
): Promise<Place | { readonly problem: string }> {
  const uses = parseUses(text)
  if (uses?.kind === 'local') {
    const repo = repoById(hearth.db, within?.repo_id ?? run.repo_id)
    if (!repo) return { problem: 'The repository is gone' }
    return { repo, sha: within?.sha ?? run.workflow_sha, path: uses.path }
  }
  if (uses?.kind !== 'repository') return { problem: `${text} names no workflow` }
  const name = `${uses.owner}/${uses.repo}`
  const repo = repoByPath(hearth.db, name)
  // Names of private repositories tell nothing: those are as if they were not there.
  const isOpen = repo && repo.deleted_at === null && (repo.private === 0 || repo.id === run.repo_id)
  if (!isOpen)
    return {
      problem: `There is no public repository ${name} here. Import it, or copy its workflow.`,
    }
  try {
    return { repo, sha: await resolveCommit(hearth, repo, uses.ref), path: uses.path }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { problem: `${name} has no branch, tag or commit ${uses.ref}` }
  }
}
