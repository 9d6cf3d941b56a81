/** Tests enabled integrations regularly, so that a failure is seen before somebody needs them. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { findIntegration, listIntegrationsToCheck, setChecked } from './store.ts'
import { testConnection } from './test-connection.ts'

const BATCH = 8

export const checkIntegrations = job<null>({
  kind: 'check_integrations',
  every: '10m',
  queue: 'integrations',
  run: async ({ hearth, signal }) => {
    for (let after = ''; ; ) {
      const rows = listIntegrationsToCheck(hearth.db, after, BATCH)
      const last = rows.at(-1)
      if (!last || signal.aborted) return
      after = last.id
      await Promise.all(
        rows.map(async (row) => {
          const { error, models } = await testConnection(hearth, row)
          await writeAs(hearth, null, (tx) => {
            if (findIntegration(tx.db, row.id)?.updated_at === row.updated_at)
              setChecked(tx, row.id, error, models)
          })
        }),
      )
    }
  },
})
