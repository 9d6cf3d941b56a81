import { expect, test } from 'bun:test'
import { createPull, getPull } from '#features/pulls/index.ts'
import { commitContextsOf } from '#features/repos/index.ts'
import { agentOf } from '../../world.ts'
import { FILE, makeRunsWorld, ONE_JOB, REPO } from './fixture.ts'

test('a pull request turns green with its runs', async () => {
  const { push, drain, world, ada } = await makeRunsWorld()
  await push()
  await drain()
  await world.commit('acme/site', 'work', { [FILE]: ONE_JOB, 'a.txt': 'a' }, { as: ada })
  const { pull } = await world.call(createPull, ada, { ...REPO, branch: 'work', title: 'Work' })
  await world.jobs()
  const state = async () =>
    (await world.call(getPull, ada, { ...REPO, number: pull.number })).pull.statuses_state
  expect(await state()).toBe('pending')
  await drain()
  expect(await state()).toBe('success')
})

test('an agent that changes the workflow does not vouch for its own work', async () => {
  const { push, drain, hearth, repo, ada, world } = await makeRunsWorld()
  await push()
  await drain()
  const trusted = (sha: string) =>
    commitContextsOf(hearth, repo.id, sha)
      .filter(({ context }) => context === 'Test')
      .map(({ state, trusted: counted }) => [state, counted])
  const agent = agentOf(ada, repo, { id: 'agt_01h455vb4pex5vsknk084sn02q' })
  await world.write(
    (tx) =>
      void tx.db.run(
        `INSERT INTO actors (id, kind, username, on_behalf_of) VALUES (?, 'agent', 'ada/bot', ?)`,
        agent.id,
        ada.id,
      ),
  )
  const changed = await push(
    { [FILE]: ONE_JOB.replace('make', 'true') },
    { branch: 'easy', as: agent as never },
  )
  await drain()
  expect(trusted(changed)).toEqual([['success', null]])
  const honest = await push({ [FILE]: ONE_JOB }, { branch: 'honest', as: agent as never })
  await drain()
  expect(trusted(honest)).toEqual([['success', 'success']])
})
