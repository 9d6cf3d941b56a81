import { expect, test } from 'bun:test'
import { compareAdvisoryFork } from '#features/security/forks/compare-advisory-fork.ts'
import { refusal } from '../../../world.ts'
import { makeForkGitWorld, REPO } from './fixture.ts'

test('a branch is compared with the base, also after the base moved on', async () => {
  const { world, ada, mel, ivy, git, at, fork, open, invite, commit, id } = await makeForkGitWorld()
  await open()
  await invite('ivy')
  await git('', 'clone', await at(fork, ada), 'fork')
  const fixed = await commit('fork', 'fix', 'a.txt', 'one\nsafe\nthree\n')
  await git('fork', 'push', 'origin', 'fix')
  const base = await world.commit(REPO, 'main', { 'c.txt': 'c\n' })
  await world.jobs()
  const compare = (who: typeof ada, branch = 'fix') =>
    world.call(compareAdvisoryFork, who, { repo: REPO, id, branch })
  const shown = await compare(ivy)
  expect(shown).toMatchObject({ base_sha: base, head_sha: fixed, ahead: 1, behind: 1 })
  expect(shown.commits.map(({ title }) => title)).toEqual(['Change a.txt'])
  expect(shown.files.map(({ path }) => path)).toEqual(['a.txt'])
  for (const name of ['main', 'missing'])
    expect((await refusal(compare(ada, name))).status).toBe(404)
  expect((await refusal(compare(mel))).status).toBe(404)
})
