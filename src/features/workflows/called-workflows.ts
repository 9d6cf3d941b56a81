/** Reads reusable workflows of the repository, at the commit of the run. */
import type { Hearth } from '#core/hearth.ts'
import { repoById } from '#features/repos/index.ts'
import type { RunRow } from './store-runs.ts'
import { readWorkflowFile, type WorkflowFile } from './workflow-files.ts'

const MAX_DEPTH = 4

type Called = { readonly file: WorkflowFile } | { readonly problem: string }

export async function readCallee(
  hearth: Hearth,
  run: RunRow,
  { uses, depth }: { uses: string; depth: number },
): Promise<Called> {
  if (depth > MAX_DEPTH)
    return { problem: `Workflows call each other more than ${MAX_DEPTH} levels deep` }
  const repo = repoById(hearth.db, run.repo_id)
  if (!repo) return { problem: 'The repository is gone' }
  if (!uses.startsWith('./')) return { problem: `${uses} is not a workflow of this repository` }
  const path = uses.slice(2)
  const entry = await hearth.git.findEntry(repo.store, run.workflow_sha, path)
  if (entry?.type !== 'file') return { problem: `There is no file ${path}` }
  const file = { path, blob: entry.oid }
  const { workflow, problems } = await readWorkflowFile(hearth, repo, file)
  const [first] = problems
  if (first) return { problem: `${path}:${first.line}:${first.column} ${first.text}` }
  if (!workflow?.on.workflow_call) return { problem: `${path} is not for workflow_call` }
  return { file }
}
