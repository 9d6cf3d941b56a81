import { expect, test } from 'bun:test'
import { listRuleEvaluations } from '#features/rulesets/list-rule-evaluations.ts'
import { sweepEvaluations } from '#features/rulesets/evaluations.ts'
import { DAY } from '#lib/time.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

test('tells of passes and failures, newest first, by ruleset and result, page by page', async () => {
  const forge = await makeRuleWorld()
  const { world, ada, mel, rule, pushes, loose, head } = forge
  const strict = await rule([of('commit_message', { pattern: '^feat' })])
  const lax = await rule([of('non_fast_forward')])
  const good = await loose(head(), { 'x.txt': 'x' }, { message: 'feat: x' })
  const bad = await loose(good, { 'x.txt': 'y' }, { message: 'y' })
  await pushes(mel, [['refs/heads/main', good]])
  world.clock.advance(1000)
  await pushes(mel, [['refs/heads/main', bad]])
  const list = (filter: object = {}, as = ada) =>
    world.call(listRuleEvaluations, as, { repo: REPO, ...filter })
  const { items, next } = await list()
  expect(next).toBeNull()
  expect(items.map(({ ruleset, rule, result, sha }) => [ruleset, rule, result, sha])).toEqual([
    [strict.id, 'commit_message', 'fail', bad],
    [lax.id, 'non_fast_forward', 'pass', good],
    [strict.id, 'commit_message', 'pass', good],
  ])
  expect(items[0]).toMatchObject({
    ref: 'refs/heads/main',
    pull: null,
    actor: { username: 'mel' },
    enforced: true,
    message: expect.stringContaining('does not match'),
    ruleset_name: strict.name,
  })
  expect((await list({ result: 'fail' })).items).toHaveLength(1)
  expect((await list({ ruleset: lax.id })).items).toHaveLength(1)
  expect((await list({ ruleset: lax.id, result: 'fail' })).items).toEqual([])
  const first = await list({ per_page: 1 })
  expect((await list({ before: first.next ?? '', per_page: 5 })).items).toEqual(items.slice(1))
  expect((await refusal(list({}, mel))).reason).toBe('role')
  expect((await refusal(list({ before: 'rs_x' }))).code).toBe('not_found')
  // What is kept is kept for ninety days.
  world.clock.advance(89 * DAY)
  await sweepEvaluations.run(
    { hearth: forge.hearth, signal: new AbortController().signal, attempt: 1, id: '' },
    null,
  )
  expect((await list()).items).toHaveLength(3)
  world.clock.advance(2 * DAY)
  await sweepEvaluations.run(
    { hearth: forge.hearth, signal: new AbortController().signal, attempt: 1, id: '' },
    null,
  )
  expect((await list()).items).toEqual([])
})
