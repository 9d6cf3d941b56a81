import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getDependencyReview } from '#features/security/dependencies/get-dependency-review.ts'
import { commitContextsOf } from '#features/repos/index.ts'
import { importOsv, makeDependencyWorld, osv, packageLock, REPO } from './fixture.ts'

const repo = REPO

async function makeReviewWorld() {
  const fixture = await makeDependencyWorld()
  const { world, ada, hearth, pull, row } = fixture
  await fixture.commit({ 'package-lock.json': packageLock({ left: '1.0.0', right: '1.0.0' }) })
  return {
    ...fixture,
    review: (number: number) => world.call(getDependencyReview, ada, { repo, number }),
    check: (number: number) => {
      const sha = pull(number).head_sha ?? ''
      return commitContextsOf(hearth, row().id, sha).find(
        ({ context }) => context === 'dependencies',
      )
    },
  }
}

test('a pull request shows what it adds, updates and removes, and what that opens or mends', async () => {
  const { world, ada, fromBranch, review, check } = await makeReviewWorld()
  await importOsv(world, [
    osv('GHSA-new', 'fresh', '2.0.0'),
    osv('GHSA-old', 'left', '1.2.0'),
    osv('GHSA-low', 'small', null, { database_specific: { severity: 'LOW' } }),
  ])
  const number = await fromBranch(ada, 'feature', {
    'package-lock.json': packageLock({ left: '1.2.0', fresh: '1.0.0', small: '1.0.0' }),
  })
  await world.jobs()
  expect(await review(number)).toMatchObject({
    changes: [
      {
        name: 'fresh',
        before: [],
        after: ['1.0.0'],
        opens: [{ id: 'GHSA-new', severity: 'high', fixed_in: '2.0.0' }],
        mends: [],
      },
      { name: 'small', opens: [{ id: 'GHSA-low' }] },
      { name: 'left', before: ['1.0.0'], after: ['1.2.0'], opens: [], mends: [{ id: 'GHSA-old' }] },
      { name: 'right', before: ['1.0.0'], after: [], opens: [], mends: [] },
    ],
    left_out: 0,
  })
  expect(await world.call(getDependencyReview, anonymous, { repo, number })).not.toBeNull()
  expect(check(number)).toMatchObject({ state: 'failure', trusted: 'failure' })
  await world.commit(
    REPO,
    'feature',
    { 'package-lock.json': packageLock({ small: '1.0.0' }) },
    { as: ada },
  )
  expect(await review(number)).toBeNull()
  await world.jobs()
  // A fault of a low severity fails nothing.
  expect(check(number)).toMatchObject({ state: 'success' })
})

test('an import rates open pull requests again', async () => {
  const { world, ada, fromBranch, review, check } = await makeReviewWorld()
  await importOsv(world, [osv('A-1', 'other', null)])
  const number = await fromBranch(ada, 'feature', {
    'package-lock.json': packageLock({ left: '1.0.0', right: '1.0.0', fresh: '1.0.0' }),
  })
  await world.jobs()
  expect(check(number)).toMatchObject({ state: 'success' })
  await importOsv(world, [osv('A-2', 'fresh', null)])
  expect(check(number)).toMatchObject({ state: 'failure' })
  expect((await review(number))?.changes).toMatchObject([{ opens: [{ id: 'A-2' }] }])
})

test('without lock files in the change the check passes, and without advisories there is none', async () => {
  const { world, ada, fromBranch, review, check } = await makeReviewWorld()
  const before = await fromBranch(ada, 'before')
  await world.jobs()
  expect([await review(before), check(before)]).toEqual([null, undefined])
  await importOsv(world, [osv('A-1', 'left', null)])
  // Those that are open already are reviewed after the import.
  expect(check(before)).toMatchObject({ state: 'success' })
  const number = await fromBranch(ada, 'feature')
  await world.jobs()
  expect(await review(number)).toBeNull()
  expect(check(number)).toMatchObject({ state: 'success' })
})
