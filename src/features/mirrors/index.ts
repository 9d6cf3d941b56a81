/** Mirrors: links of repositories to others elsewhere, which lead or follow. */
import type { Feature } from '#core/hearth.ts'
import {
  deployHolds,
  leadingMirrors,
  remoteWorkflows,
  repoDataRemovers,
  repoRecordPreloads,
  retainedCommits,
  workflowFolders,
} from '#features/repos/index.ts'
import { events } from './events.ts'
import { findDeployHold, mergeBlockers, reactions, runsOnRemote } from './guard.ts'
import { handlers, jobs } from './jobs.ts'
import { reportReactions } from './report-checks.ts'
import { findLeader, preloadLeaders } from './store.ts'
import { rememberPushes } from './waiting-pushes.ts'
import { workflowFoldersOf } from './remote-workflows.ts'
import { removeKeptRefsOf, removeMirrorRefsOf, retainedByMirrors } from './store-refs.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'

export const feature: Feature = {
  name: 'mirrors',
  operations: Object.values(operations),
  events,
  reactions: [...reactions, rememberPushes, ...reportReactions],
  handlers,
  jobs,
  extensions: [
    leadingMirrors.with((db, repo_id) => {
      const row = findLeader(db, repo_id)
      return row && { id: row.id, role: row.role, state: row.state }
    }),
    remoteWorkflows.with(runsOnRemote),
    workflowFolders.with(workflowFoldersOf),
    deployHolds.with(findDeployHold),
    repoRecordPreloads.with(preloadLeaders),
    repoDataRemovers.with(removeKeptRefsOf),
    repoDataRemovers.with(removeMirrorRefsOf),
    retainedCommits.with(retainedByMirrors),
    mergeBlockers,
  ],
}
