import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getRuleset } from '#features/rulesets/get-ruleset.ts'
import { listRulesets } from '#features/rulesets/list-rulesets.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal, withToken } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

test('members see those of the workspace, readers those of the repository, newest first', async () => {
  const { world, mel, otto, rule, ruleAll } = await makeRuleWorld()
  const a = await rule([of('update')], { enforcement: 'disabled' })
  const b = await rule([of('update')], { enforcement: 'disabled' })
  const all = await ruleAll([of('update')], { enforcement: 'disabled' })
  expect(await world.call(listRulesets, mel, { workspace: 'acme' })).toEqual({
    items: [all],
    next: null,
    total: 1,
  })
  expect(await world.call(listRulesets, otto, { repo: REPO })).toEqual({
    items: [b, a],
    next: null,
    total: 2,
  })
  expect(await world.call(listRulesets, otto, { repo: REPO, per_page: 1 })).toEqual({
    items: [b],
    next: '2',
    total: 2,
  })
  expect(
    (await world.call(listRulesets, otto, { repo: REPO, per_page: 1, cursor: '2' })).items,
  ).toEqual([a])
  expect(await world.call(getRuleset, mel, { workspace: 'acme', id: all.id })).toEqual(all)
  expect(await world.call(getRuleset, otto, { repo: REPO, id: a.id })).toEqual(a)
  expect((await refusal(world.call(getRuleset, otto, { repo: REPO, id: all.id }))).code).toBe(
    'not_found',
  )
  expect((await refusal(world.call(listRulesets, otto, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  expect(
    (await refusal(world.call(getRuleset, otto, { workspace: 'acme', id: all.id }))).code,
  ).toBe('not_found')
  expect((await refusal(world.call(listRulesets, anonymous, { repo: REPO }))).code).toBe(
    'unauthenticated',
  )
  expect(
    (
      await refusal(
        world.call(listRulesets, withToken(mel, { scopes: ['repo:read'] }), { workspace: 'acme' }),
      )
    ).details.scope,
  ).toBe('workspace:read')
})
