import { expect, test } from 'bun:test'
import { getCommit } from '#features/repos/commits/get-commit.ts'
import { getFile } from '#features/repos/files/get-file.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { mergeAdvisoryFork } from '#features/security/forks/merge-advisory-fork.ts'
import { getAdvisory } from '#features/security/reports/get-advisory.ts'
import { updateRuleset } from '#features/rulesets/update-ruleset.ts'
import { of } from '../../rulesets/fixture.ts'
import { refusal } from '../../../world.ts'
import { makeForkGitWorld, REPO } from './fixture.ts'

async function makeMendedWorld() {
  const all = await makeForkGitWorld()
  const { ada, git, at, fork, open, commit } = all
  await open()
  await git('', 'clone', await at(fork, ada), 'fork')
  const fixed = await commit('fork', 'fix', 'a.txt', 'one\nsafe\nthree\n')
  await git('fork', 'push', 'origin', 'fix')
  const merge = (input: object = {}, who = ada) =>
    all.world.call(mergeAdvisoryFork, who, { repo: REPO, id: all.id, branch: 'fix', ...input })
  const packs = () => {
    const store = all.world.hearth.db.one<{ store: string }>('SELECT store FROM repos')?.store ?? ''
    return all.world.hearth.git.verify(store, [fixed])
  }
  return { ...all, fixed, merge, packs }
}

test('the branch is merged and the advisory published in one step', async () => {
  const { world, ada, mel, rita, ivy, merge, fixed, id, invite } = await makeMendedWorld()
  const before = world.events('git.push').at(-1)?.data.after
  await invite('mel')
  await invite('ivy')
  expect((await refusal(merge({}, ivy))).status).toBe(403)
  expect(await refusal(merge({ publish: true }, mel))).toMatchObject({ status: 403 })
  expect((await refusal(merge({}, rita))).status).toBe(404)
  expect((await refusal(merge({ expected_sha: before }))).reason).toBe('head_moved')
  // Until then the repository has nothing of it.
  const hidden = world.call(getCommit, ada, { repo: REPO, ref: fixed })
  expect((await refusal(hidden)).status).toBe(404)
  const merged = await merge({ publish: true })
  expect(merged).toMatchObject({
    state: 'closed',
    merged: { branch: 'fix', by: { username: 'ada' } },
  })
  expect((await world.call(getAdvisory, rita, { repo: REPO, id })).state).toBe('published')
  expect(await world.call(getFile, rita, { repo: REPO, path: 'a.txt' })).toMatchObject({
    content: expect.stringContaining('safe'),
  })
  const commit = await world.call(getCommit, rita, { repo: REPO, ref: merged.merged?.sha ?? '' })
  expect(commit).toMatchObject({ title: `Merge branch 'fix'`, parents: [before, fixed] })
  const [push, published] = world.events().slice(-2)
  expect([push?.type, push?.data.after]).toEqual(['git.push', merged.merged?.sha])
  expect(published?.type).toBe('security.advisory_published')
})

test('Write merges without publishing, onto a base that moved on, and twice is too often', async () => {
  const { world, mel, merge, invite, id } = await makeMendedWorld()
  await invite('mel')
  // The base of the fork is brought up to date by the merge itself.
  await world.commit(REPO, 'main', { 'c.txt': 'c\n' })
  const merged = await merge({ message: 'Take more care' }, mel)
  expect(merged).toMatchObject({ state: 'ready', merged: { by: { username: 'mel' } } })
  expect((await world.call(getAdvisory, mel, { repo: REPO, id })).state).toBe('draft')
  expect((await world.call(getFile, mel, { repo: REPO, path: 'c.txt' })).path).toBe('c.txt')
  expect(await refusal(merge({}, mel))).toMatchObject({ status: 409, reason: 'not_ready' })
})

test('a conflict is told with its files and the commands that resolve it', async () => {
  const { world, merge, fixed, packs, ada } = await makeMendedWorld()
  await world.commit(REPO, 'main', { 'a.txt': 'one\nelse\nthree\n' })
  const refused = await refusal(merge())
  expect(refused).toMatchObject({
    status: 409,
    reason: 'conflicts',
    details: { paths: ['a.txt'], commands: expect.arrayContaining(['git merge origin/main']) },
  })
  const hidden = world.call(getCommit, ada, { repo: REPO, ref: fixed })
  expect((await refusal(hidden)).status).toBe(404)
  expect((await packs())[0]).toContain('missing')
})

test('rules of the branch are obeyed, and a refused merge leaves nothing behind', async () => {
  const { world, ada, merge, packs, id } = await makeMendedWorld()
  await world.call(updateRepoSettings, ada, { repo: REPO, required_approvals: 1 })
  expect(await refusal(merge({ publish: true }))).toMatchObject({
    reason: 'rule',
    message: expect.stringContaining('needs 1 approval'),
  })
  await world.call(updateRepoSettings, ada, { repo: REPO, required_approvals: 0 })
  const made = await world.call(createRuleset, ada, {
    repo: REPO,
    name: 'Titles',
    rules: [of('human_approval')],
  })
  expect((await refusal(merge())).message).toContain('human_approval')
  await world.call(updateRuleset, ada, {
    repo: REPO,
    id: made.id,
    rules: [of('commit_message', { pattern: '^never$' })],
  })
  expect(await refusal(merge({ publish: true }))).toMatchObject({ status: 409, reason: 'rule' })
  expect((await world.call(getAdvisory, ada, { repo: REPO, id })).state).toBe('draft')
  expect((await packs())[0]).toContain('missing')
})
