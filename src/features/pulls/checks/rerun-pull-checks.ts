import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { checksOf, currentRun } from '#features/checks/index.ts'
import { conflict, forbidden } from '#lib/errors.ts'
import { startPullChecks } from './pull-checks.ts'
import { onPull } from '../inputs.ts'
import { requireAuthorOr } from '../permissions.ts'
import { ChecksAndStatuses } from '../schema.ts'
import { requirePull } from '../store-pulls.ts'
import { inChecks } from '../untrusted-texts.ts'

export const rerunPullChecks = operation({
  name: 'rerun_pull_checks',
  summary: `Run the acceptance checks of an open pull request again, on its present head and base. Its author, or write. Checks that wait because strangers wrote them are let run by a person with write.`,
  keywords: [
    'rerun CI',
    'retry the build',
    'run tests again',
    'restart checks',
    'flaky test',
    'trigger CI',
    'retry checks',
  ],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/checks/rerun',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object(onPull),
  output: ChecksAndStatuses,
  status: 202,
  untrusted: inChecks,

  handler: ({ hearth, repo, caller, write }, { number }) =>
    write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'write')
      if (pull.status === 'draft')
        throw conflict('draft', `#${number} is a draft; its checks run once it is ready`)
      if (pull.status !== 'open')
        throw conflict('not_open', `#${number} is ${pull.status}`, { status: pull.status })
      const run = currentRun(hearth, pull)
      if (run?.state === 'queued' || run?.state === 'running')
        throw conflict('in_progress', `the checks of #${number} are under way; cancel them first`)
      const allows = repo.can('write') && caller.kind === 'user'
      if (run?.state === 'waiting' && !allows)
        throw forbidden(
          repo.can('write') ? 'person_required' : 'role',
          `a person with write must let these checks run: ${run.note}`,
        )
      // An approval for this head also covers later runs of it.
      const id = startPullChecks(tx, pull, {
        approved_by: allows ? caller.id : (run?.approved_by ?? null),
      })
      if (id === null)
        throw conflict(
          'not_ready',
          pull.head_sha === null
            ? 'nothing has been pushed yet'
            : `there is nothing to run: its issue has no checks`,
        )
      return { ...checksOf(hearth, pull), statuses: [] }
    }),
})
