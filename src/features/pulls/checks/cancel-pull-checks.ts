import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { cancelChecks, checksOf } from '#features/checks/index.ts'
import { conflict } from '#lib/errors.ts'
import { onPull } from '../inputs.ts'
import { requireAuthorOr } from '../permissions.ts'
import { ChecksAndStatuses } from '../schema.ts'
import { requirePull } from '../store-pulls.ts'
import { inChecks } from '../untrusted-texts.ts'

export const cancelPullChecks = operation({
  name: 'cancel_pull_checks',
  summary:
    'Stop the acceptance checks of a pull request that are under way or wait. They count as errored until they are run again. Its author, or write.',
  keywords: ['stop checks', 'cancel CI', 'abort the build', 'stop running tests'],
  route: 'POST /repos/{owner}/{name}/pulls/{number}/checks/cancel',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object(onPull),
  output: ChecksAndStatuses,
  status: 200,
  untrusted: inChecks,

  handler: ({ hearth, repo, caller, write }, { number }) =>
    write((tx) => {
      const pull = requirePull(tx.db, repo.id, number)
      requireAuthorOr(hearth, repo, pull, caller, 'write')
      if (cancelChecks(tx, repo.id, number, 'pull', `cancelled by ${caller.username}`) === 0)
        throw conflict('not_open', `no checks of #${number} are under way`)
      return { ...checksOf(hearth, pull), statuses: [] }
    }),
})
