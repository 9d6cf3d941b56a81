/**
 * Starts workflows by schedule. When each is due next is in a table, so a restart forgets none.
 * Times that passed while the forge was stopped give one run together.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { nextCronTime } from '#actions'
import { remoteWorkflows, repoById } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { occasionOnDefaultBranch } from './default-branch-occasions.ts'
import { runnerKinds } from '../extension-points.ts'
import { runsWorkflows } from './occasion.ts'
import { planOccasion } from '../runs/plan-runs.ts'
import { setSchedules } from './set-schedules.ts'
import { listDueSchedules, listUnscheduled, putSchedule } from './store-schedules.ts'
import { findWorkflow } from '../files/store-workflows.ts'
import { readWorkflowFile } from '../files/workflow-files.ts'

const BATCH = 200

type Due = { readonly workflow_id: string; readonly cron: string; readonly at: number }

export const startScheduledRuns = job<null>({
  kind: 'start_scheduled_runs',
  every: '1m',
  run: async ({ hearth, signal }) => {
    for (const id of listUnscheduled(hearth.db, BATCH)) {
      if (signal.aborted) return
      await readSchedules(hearth, id)
    }
    await writeAs(hearth, null, (tx) => {
      for (const { workflow_id, cron, next_at } of listDueSchedules(tx.db, tx.now_ms, BATCH)) {
        putSchedule(tx, { workflow_id, cron, next_at: nextCronTime(cron, tx.now_ms) })
        tx.enqueue(planScheduled, { workflow_id, cron, at: next_at })
      }
    })
  },
})

async function readSchedules(hearth: Hearth, id: string): Promise<void> {
  const row = findWorkflow(hearth.db, id)
  const repo = row && repoById(hearth.db, row.repo_id)
  if (!row || !repo || row.blob === null) return
  const { workflow } = await readWorkflowFile(hearth, repo, { path: row.path, blob: row.blob })
  await writeAs(hearth, null, (tx) => setSchedules(tx, id, workflow))
}

export const planScheduled = job<Due>({
  kind: 'plan_scheduled_run',
  run: async ({ hearth }, { workflow_id, cron, at }) => {
    const workflow = findWorkflow(hearth.db, workflow_id)
    const repo = workflow && repoById(hearth.db, workflow.repo_id)
    if (!repo || !runsWorkflows(repo) || runnerKinds(hearth).length === 0) return
    // The forge that serves the workspace now has the same schedules.
    if (hearth.facts.departed(workspaceById(hearth.db, repo.workspace_id)?.slug ?? '') !== null)
      return
    if (remoteWorkflows.all(hearth).some((on) => on(hearth.db, repo.id))) return
    const occasion = occasionOnDefaultBranch(hearth, repo, {
      event: 'schedule',
      names: [{ name: 'schedule', action: null }],
      payload: { schedule: cron },
      cron,
      onlyPath: workflow.path,
      title: workflow.name,
      actor_id: null,
      isTrusted: true,
      // A repetition of this job makes no second run.
      event_id: `${workflow_id} ${at} ${cron}`,
    })
    if (occasion) await planOccasion(hearth, occasion)
  },
})
