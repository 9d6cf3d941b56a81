import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Type } from '#core/schema.ts'
import { endJobsOfRunner } from '#features/workflows/index.ts'
import { RunnerId } from './inputs.ts'
import { auditRunner, requireRunner, SITE } from './owner.ts'
import { removeRunnerRow } from './store-runners.ts'

export const removeSiteRunner = operation({
  name: 'remove_site_runner',
  summary:
    'Remove a runner that serves every repository of this installation. Its token ends; a job that it has fails, or is queued again if it had not begun. For site administrators, people only. The answer is empty.',
  keywords: ['unregister a shared runner'],
  route: 'DELETE /admin/runners/{id}',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ id: RunnerId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ write }, { id }) =>
    write((tx) => {
      const row = requireRunner(tx.db, SITE, id)
      endJobsOfRunner(tx, row.id)
      removeRunnerRow(tx, row.id)
      auditRunner(tx, 'removed', row, null)
      return null
    }),
})
