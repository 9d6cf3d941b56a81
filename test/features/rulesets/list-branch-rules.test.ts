import { describe, expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listBranchRules } from '#features/rulesets/list-branch-rules.ts'
import { updateRepo } from '#features/repos/profile/update-repo.ts'
import { transferRepo } from '#features/repos/lifecycle/transfer-repo.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

const forge = await makeRuleWorld()
const { world, ada, rule, ruleAll } = forge

const namesFor = async (branch: string, repo = REPO) =>
  (await world.call(listBranchRules, anonymous, { repo, branch })).items.map(
    ({ ruleset }) => ruleset.name,
  )

test('gives what holds, of the workspace first, with its ruleset', async () => {
  const all = await ruleAll([of('update'), of('deletion', {}, 'agents')], {
    name: 'All',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
  })
  const own = await rule([of('cost_cap', { max_usd: 1 })], {
    name: 'Own',
    conditions: { ref_name: { include: ['main', 'release/**'] } },
  })
  await rule([of('update')], { name: 'Looked at', enforcement: 'evaluate' })
  await rule([of('update')], { name: 'Off', enforcement: 'disabled' })
  await rule([of('update')], { name: 'Tags', target: 'tag' })
  await rule([of('update')], { name: 'Nothing', conditions: { ref_name: { include: [] } } })
  expect(await world.call(listBranchRules, anonymous, { repo: REPO, branch: 'main' })).toEqual({
    items: [
      {
        type: 'update',
        parameters: {},
        applies_to: 'everyone',
        ruleset: {
          id: all.id,
          name: 'All',
          level: 'workspace',
          enforcement: 'active',
          html_url: all.html_url,
        },
      },
      {
        type: 'deletion',
        parameters: {},
        applies_to: 'agents',
        ruleset: {
          id: all.id,
          name: 'All',
          level: 'workspace',
          enforcement: 'active',
          html_url: all.html_url,
        },
      },
      {
        type: 'cost_cap',
        parameters: { max_usd: 1, per: 'pull' },
        applies_to: 'everyone',
        ruleset: {
          id: own.id,
          name: 'Own',
          level: 'repository',
          enforcement: 'active',
          html_url: own.html_url,
        },
      },
    ],
    next: null,
  })
  // A branch that does not exist yet has its rules already.
  expect(await namesFor('release/2/1')).toEqual(['Own'])
  expect(await namesFor('other')).toEqual([])
})

describe('conditions', () => {
  const only = async (conditions: Parameters<typeof ruleAll>[1], branch: string, repo = REPO) => {
    const made = await ruleAll([of('non_fast_forward')], { name: 'Tried', ...conditions })
    const { deleteRuleset } = await import('#features/rulesets/delete-ruleset.ts')
    const holds = (await namesFor(branch, repo)).includes('Tried')
    await world.call(deleteRuleset, ada, { workspace: 'acme', id: made.id })
    return holds
  }
  const refs = (include: string[], exclude: string[] = []) => ({
    conditions: { ref_name: { include, exclude } },
  })
  const repos = (
    repository: NonNullable<NonNullable<Parameters<typeof ruleAll>[1]>['conditions']>['repository'],
  ) => ({ conditions: { ref_name: { include: ['~ALL'] }, repository } })

  test('on names of branches', async () => {
    expect(await only(refs(['~ALL'], ['dev/*']), 'dev/x')).toBe(false)
    expect(await only(refs(['~ALL'], ['dev/*']), 'dev/x/y')).toBe(true)
    expect(await only(refs(['release-?']), 'release-1')).toBe(true)
    expect(await only(refs(['release-?']), 'release-10')).toBe(false)
    expect(await only(refs(['~DEFAULT_BRANCH'], ['~DEFAULT_BRANCH']), 'main')).toBe(false)
    expect(await only(refs(['MAIN']), 'main')).toBe(false)
  })

  test('on repositories', async () => {
    await world.repo('acme/web-app', { private: false })
    await world.call(updateRepo, ada, { repo: 'acme/web-app', topics: ['payments', 'web'] })
    expect(await only(repos({ include: ['web-*'] }), 'x', 'acme/web-app')).toBe(true)
    expect(await only(repos({ include: ['Web-App'] }), 'x', 'acme/web-app')).toBe(true)
    expect(await only(repos({ include: ['web-*'] }), 'x')).toBe(false)
    expect(await only(repos({ include: ['~ALL'], exclude: ['site'] }), 'x')).toBe(false)
    expect(await only(repos({ include: [] }), 'x')).toBe(false)
    expect(await only(repos({ visibility: 'private' }), 'x')).toBe(false)
    expect(await only(repos({ visibility: 'public' }), 'x')).toBe(true)
    expect(await only(repos({ topics: ['Payments'] }), 'x', 'acme/web-app')).toBe(true)
    expect(await only(repos({ topics: ['payments'] }), 'x')).toBe(false)
  })

  test('the rules of a repository go with it to another workspace; those of the workspace stay', async () => {
    await world.workspace('other', { owner: ada })
    await world.repo('acme/moving')
    const { createRuleset } = await import('#features/rulesets/create-ruleset.ts')
    await world.call(createRuleset, ada, {
      repo: 'acme/moving',
      name: 'Goes along',
      rules: [of('update')],
      conditions: { ref_name: { include: ['~ALL'] } },
    })
    expect(await namesFor('main', 'acme/moving')).toEqual(['All', 'All', 'Goes along'])
    await world.call(transferRepo, ada, { repo: 'acme/moving', to: 'other' })
    expect(await namesFor('main', 'other/moving')).toEqual(['Goes along'])
  })
})

test('is as visible as the repository, and asked of forks not at all', async () => {
  await world.repo('acme/hidden', { private: true })
  expect(
    (await refusal(world.call(listBranchRules, anonymous, { repo: 'acme/hidden', branch: 'main' })))
      .code,
  ).toBe('not_found')
  const number = await forge.draft(forge.otto, null)
  expect(
    (
      await refusal(
        world.call(listBranchRules, anonymous, { repo: forge.fork(number), branch: 'main' }),
      )
    ).code,
  ).toBe('not_found')
})
