import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { refusal } from '../../../world.ts'
import { ACME_KEY, makePatternsWorld } from './fixture.ts'

test('a pattern that is on opens alerts for pushes and texts, and refuses when it says so', async () => {
  const { world, ada, repo, main, commit, pushTo, alerts, add } = await makePatternsWorld()
  const pattern = await add({ enabled: true })
  expect(pattern).toMatchObject({
    name: 'Acme key',
    type: 'custom-acme-key',
    workspace: 'acme',
    repository: repo,
    enabled: true,
    push_protection: false,
    test: null,
  })
  expect((await pushTo('a', await commit(main, { a: `x = ${ACME_KEY}` }))).refused).toBeNull()
  await world.jobs()
  expect(await alerts()).toMatchObject([
    { type: 'custom-acme-key', label: 'Acme key', preview: 'acme••••w2' },
  ])
  const body = `in a text: ${ACME_KEY.replace('k3', 'k4')}`
  await world.call(createIssue, ada, { repo, title: 'One', body })
  await world.jobs()
  expect(await alerts()).toHaveLength(2)
  await add({ name: 'Other', pattern: 'othr-[0-9]{12}', enabled: true, push_protection: true })
  const bad = await commit(main, { b: 'othr-123456789012' })
  expect((await pushTo('b', bad)).refused).toContain('b:1 holds an Other')
})

test('a pattern of a workspace holds in its repositories, and one that is off nowhere', async () => {
  const { world, main, commit, pushTo, alerts, add } = await makePatternsWorld()
  await add({ repo: undefined, workspace: 'acme', enabled: true })
  await add({ name: 'Off', pattern: 'offf_[a-z0-9]{20}' })
  await pushTo('a', await commit(main, { a: `${ACME_KEY}\noff${ACME_KEY.replace('acme', 'f')}` }))
  await world.jobs()
  expect((await alerts()).map(({ label }) => label)).toEqual(['Acme key'])
})

test('expressions that are too large, too common or not linear are refused', async () => {
  const { add } = await makePatternsWorld()
  for (const [pattern, why] of [
    ['acme_(', 'is not an RE2 expression'],
    ['acme_(?=x)', 'is not an RE2 expression'],
    ['(a)\\1acme_', 'is not an RE2 expression'],
    ['acme_([a-z]{0,100}){0,100}', 'is'],
    ['[a-z]{40}', 'needs a text of at least 3'],
    ['ab[0-9]{20}', 'needs a text of at least 3'],
    ['acme_[0-9]+|[a-z]+', 'needs a text of at least 3'],
    ['(?:acme_)?[0-9]+', 'needs a text of at least 3'],
    ['acme\u00e9_[0-9]+', 'printable ASCII'],
  ] as const) {
    const refused = await refusal(add({ pattern }))
    expect([pattern, refused.field]).toEqual([pattern, 'pattern'])
    expect(refused.message).toContain(why)
  }
})

test('names are taken once, and only administrators, who are people, add patterns', async () => {
  const { bob, add } = await makePatternsWorld()
  await add()
  expect(await refusal(add())).toMatchObject({ reason: 'already_exists' })
  expect(await refusal(add({ name: ' ' }))).toMatchObject({ field: 'name' })
  expect(await refusal(add({}, bob))).toMatchObject({ reason: 'role' })
})
