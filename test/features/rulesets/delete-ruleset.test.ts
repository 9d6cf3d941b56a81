import { expect, test } from 'bun:test'
import { deleteRuleset } from '#features/rulesets/delete-ruleset.ts'
import { getRuleset } from '#features/rulesets/get-ruleset.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

test('its rules end at once, and what came of them can still be read', async () => {
  const { world, ada, mel, rule, pushes, loose, head, evaluations, hearth } = await makeRuleWorld()
  const made = await rule([of('update')], { name: 'Short' })
  const next = await loose(head(), { 'x.txt': 'x' })
  expect((await pushes(mel, [['refs/heads/main', next]]))[0]?.refused).toContain('rule update')
  expect((await refusal(world.call(deleteRuleset, mel, { repo: REPO, id: made.id }))).reason).toBe(
    'role',
  )
  expect(
    (await refusal(world.call(deleteRuleset, ada, { workspace: 'acme', id: made.id }))).code,
  ).toBe('not_found')
  expect(await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })).toBeNull()
  expect((await refusal(world.call(getRuleset, ada, { repo: REPO, id: made.id }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(deleteRuleset, ada, { repo: REPO, id: made.id }))).code).toBe(
    'not_found',
  )
  expect((await pushes(mel, [['refs/heads/main', next]]))[0]?.refused).toBeNull()
  expect(await evaluations({ ruleset: made.id })).toMatchObject([
    { ruleset_name: 'Short', result: 'fail' },
  ])
  expect(world.events('ruleset.changed').at(-1)?.data).toMatchObject({
    ruleset: made.id,
    action: 'deleted',
    name: 'Short',
  })
  const [entry] = hearth.db.all<{ data: string }>(
    `SELECT data FROM audit_log WHERE action = 'ruleset.deleted'`,
  )
  expect(JSON.parse(entry?.data ?? '{}').before.rules).toEqual(made.rules)
})
