/** A forge without features, for tests of core. */
import { openDatabase, type DatabaseHandle } from '#core/db.ts'
import { createHearth, type Feature, type Hearth } from '#core/hearth.ts'
import { migrate, migrations } from '#core/migrate.ts'
import type { FactsPort } from '#core/access.ts'
import type { Git } from '#git'
import { silentLog } from '#lib/log.ts'
import { START, testSettings } from '../settings.ts'

export function makeFloor(
  feature: Omit<Feature, 'name'> = {},
  options: { database?: DatabaseHandle; facts?: Partial<FactsPort> } = {},
) {
  const database = options.database ?? openDatabase({ path: ':memory:' })
  if (!options.database) migrate(database, '2026-01-01T00:00:00.000Z', migrations.slice(0, 1))
  const clock = { at: START, now: () => clock.at }
  const hearth: Hearth = createHearth({
    settings: testSettings('/nowhere'),
    log: silentLog,
    clock,
    database,
    git: { close: async () => {} } as unknown as Git,
    features: [{ name: 'test', ...feature }],
    facts: {
      repo: () => null,
      moved: () => null,
      workspace: () => null,
      departed: () => null,
      isSecurityManager: () => false,
      isInvitedToAdvisory: () => false,
      package: () => null,
      ...options.facts,
    },
    callers: () => ({
      byToken: () => null,
      bySignIn: () => null,
      byCredential: () => null,
      bySshKey: () => null,
    }),
  })
  return { hearth, clock, database }
}
