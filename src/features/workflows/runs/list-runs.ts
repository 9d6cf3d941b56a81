import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { findUser } from '#features/accounts/index.ts'
import { WorkflowId } from '../inputs.ts'
import { requireOwnRuns, runRecords } from '../records.ts'
import { CONCLUSIONS, RUN_EVENTS, RUN_STATUSES, Runs } from '../schema.ts'
import { listRunRows } from './store-runs.ts'

export const listRuns = operation({
  name: 'list_runs',
  summary:
    'List the runs of workflows of a repository, newest first; by workflow, branch, commit, pull request, event, actor, status or conclusion.',
  keywords: ['CI runs', 'builds', 'did the tests pass', 'pipeline status'],
  route: 'GET /repos/{owner}/{name}/actions/runs',
  toolset: 'workflows',
  access: readsRepo({ scope: 'workflows:read' }),
  input: Type.Object({
    repo: RepoPath,
    workflow_id: Type.Optional(WorkflowId),
    status: Type.Optional(OneOf(RUN_STATUSES)),
    conclusion: Type.Optional(OneOf(CONCLUSIONS)),
    branch: Type.Optional(Type.String({ maxLength: 255 })),
    sha: Type.Optional(Type.String({ pattern: '^[0-9a-f]{40}$' })),
    pull: Type.Optional(RecordNumber),
    actor: Type.Optional(Type.String({ maxLength: 100, description: 'A username.' })),
    event: Type.Optional(OneOf(RUN_EVENTS)),
    ...byPage(),
  }),
  output: Runs,
  list: 'page',

  handler: ({ hearth, db, repo }, input) => {
    requireOwnRuns(repo)
    const window = windowOf(input)
    const actor = input.actor === undefined ? undefined : findUser(db, input.actor)
    if (actor === null) return { items: [], next: null }
    const rows = listRunRows(
      db,
      {
        repo_id: repo.id,
        workflow_id: input.workflow_id,
        status: input.status,
        conclusion: input.conclusion,
        ref: input.branch === undefined ? undefined : `refs/heads/${input.branch}`,
        sha: input.sha,
        pull: input.pull,
        actor_id: actor?.id,
        event: input.event,
      },
      { ...window, limit: window.limit + 1 },
    )
    return pageOf(runRecords(hearth, rows), window)
  },
})
