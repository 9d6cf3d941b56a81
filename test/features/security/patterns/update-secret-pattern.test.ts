import { expect, test } from 'bun:test'
import { deleteSecretPattern } from '#features/security/patterns/delete-secret-pattern.ts'
import { updateSecretPattern } from '#features/security/patterns/update-secret-pattern.ts'
import { refusal } from '../../../world.ts'
import { makePatternsWorld } from './fixture.ts'

test('a pattern is turned on and off, renamed and changed, with audit entries', async () => {
  const { world, ada, bob, repo, add, patterns } = await makePatternsWorld()
  const { id } = await add()
  const change = (input: Record<string, unknown>, as = ada) =>
    world.call(updateSecretPattern, as, { repo, id, ...input })
  expect(await change({ enabled: true, name: 'Acme token' })).toMatchObject({
    name: 'Acme token',
    pattern: 'acme_[a-z0-9]{20}',
    enabled: true,
  })
  expect(await refusal(change({ pattern: '.*' }))).toMatchObject({ field: 'pattern' })
  expect(await refusal(change({ enabled: false }, bob))).toMatchObject({ reason: 'role' })
  const elsewhere = world.call(updateSecretPattern, ada, { workspace: 'acme', id, enabled: false })
  expect(await refusal(elsewhere)).toMatchObject({ code: 'not_found' })
  expect((await patterns())[0]).toMatchObject({ enabled: true })
  await world.call(deleteSecretPattern, ada, { repo, id })
  expect(await patterns()).toEqual([])
  const actions = world.hearth.db.all<{ action: string }>(
    `SELECT action FROM audit_log WHERE action LIKE 'security.pattern%' ORDER BY id`,
  )
  expect(actions.map(({ action }) => action)).toEqual([
    'security.pattern_created',
    'security.pattern_updated',
    'security.pattern_deleted',
  ])
})
