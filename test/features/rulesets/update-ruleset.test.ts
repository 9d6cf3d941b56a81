import { expect, test } from 'bun:test'
import { updateRuleset } from '#features/rulesets/update-ruleset.ts'
import { deleteTeam } from '#features/teams/delete-team.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

test('what is left out stays, and lists are replaced', async () => {
  const { world, ada, mel, rule, hearth } = await makeRuleWorld()
  const made = await rule([of('update'), of('deletion')], {
    name: 'First',
    conditions: { ref_name: { include: ['release/**'], exclude: ['release/old'] } },
    bypass_actors: [{ kind: 'user', value: 'mel' }],
  })
  world.clock.advance(1000)
  const change = (input: Record<string, unknown>, as = ada) =>
    world.call(updateRuleset, as, { repo: REPO, id: made.id, ...input })
  const same = await change({ name: 'First' })
  expect(same.updated_at).toBe(made.updated_at)
  expect(world.events('ruleset.changed')).toHaveLength(1)
  expect(await change({ enforcement: 'evaluate' })).toEqual({
    ...made,
    enforcement: 'evaluate',
    updated_at: expect.stringContaining('01.000Z'),
  })
  expect((await change({ rules: [of('creation')] })).rules.map(({ type }) => type)).toEqual([
    'creation',
  ])
  expect((await change({ conditions: { ref_name: { include: ['main'] } } })).conditions).toEqual({
    ref_name: { include: ['main'], exclude: [] },
  })
  expect((await change({ conditions: {} })).conditions.ref_name.include).toEqual(['main'])
  expect((await change({ bypass_actors: [] })).bypass_actors).toEqual([])
  expect(world.events('ruleset.changed').map(({ data }) => data.action)).toEqual([
    'created',
    'updated',
    'updated',
    'updated',
    'updated',
  ])
  const audit = hearth.db
    .all<{ data: string }>(
      `SELECT data FROM audit_log WHERE action = 'ruleset.updated' ORDER BY id`,
    )
    .map(({ data }) => JSON.parse(data))
  expect([audit[0].before.enforcement, audit[0].after.enforcement, audit.length]).toEqual([
    'active',
    'evaluate',
    4,
  ])

  expect((await refusal(change({ enforcement: 'active' }, mel))).reason).toBe('role')
  // Rules that mean nothing for another target are not carried over in silence.
  await change({ rules: [of('pull_request')] })
  expect((await refusal(change({ target: 'tag' }))).field).toBe('rules[0].type')
  expect(
    (
      await change({
        target: 'tag',
        rules: [of('deletion')],
        conditions: { ref_name: { include: ['v*'] } },
      })
    ).target,
  ).toBe('tag')
  const other = await rule([of('update')])
  expect((await refusal(change({ name: other.name }))).reason).toBe('already_exists')
  expect(
    (await refusal(world.call(updateRuleset, ada, { workspace: 'acme', id: made.id, name: 'x' })))
      .code,
  ).toBe('not_found')
  expect(
    (await refusal(world.call(updateRuleset, ada, { repo: REPO, id: 'rs_x', name: 'x' }))).code,
  ).toBe('not_found')
})

test('a team that is gone lets nobody through, and nobody else who takes its name', async () => {
  const { world, ada, mel, max, rule, teams, pushes, head, loose } = await makeRuleWorld()
  await teams(['keepers', 'mel'])
  const made = await rule([of('update')], {
    bypass_actors: [{ kind: 'team', value: 'acme/keepers' }],
  })
  const next = await loose(head(), { 'x.txt': 'x' })
  await world.call(deleteTeam, ada, { workspace: 'acme', team: 'keepers' })
  expect((await pushes(mel, [['refs/heads/main', next]]))[0]?.refused).toContain('rule update')
  const { createTeam } = await import('#features/teams/create-team.ts')
  await world.call(createTeam, max, { workspace: 'acme', name: 'keepers', slug: 'keepers' })
  expect((await pushes(max, [['refs/heads/main', next]]))[0]?.refused).toContain('rule update')
  const { getRuleset } = await import('#features/rulesets/get-ruleset.ts')
  expect(
    (await world.call(getRuleset, ada, { repo: REPO, id: made.id })).bypass_actors[0]?.value,
  ).toStartWith('team_')
})
