import { expect, test } from 'bun:test'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { refusal } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

test('stopping takes the token at once, says who and why, and is done once', async () => {
  const { world, ada, mel, otto, start, audit, row } = await makeAgentWorld()
  const { agent, caller } = await start()
  expect(await refusal(world.call(stopAgent, otto, { repo: REPO, id: agent.id }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const stopped = await world.call(stopAgent, mel, { repo: REPO, id: agent.id, reason: 'It loops' })
  expect(stopped).toMatchObject({
    state: 'stopped',
    stopped: {
      by: { username: 'mel' },
      at: new Date(world.clock.now()).toISOString(),
      reason: 'It loops',
    },
    token: { id: agent.token.id },
  })
  expect(caller()).toBeNull()
  expect(audit('agent.stopped')).toMatchObject([
    { actor_id: mel.id, target_id: agent.id, workspace_id: row().workspace_id, repo_id: row().id },
  ])
  expect(audit('token.revoked')).toHaveLength(1)
  expect(await world.call(stopAgent, ada, { repo: REPO, id: agent.id, reason: 'Again' })).toEqual(
    stopped,
  )
  expect(audit('agent.stopped')).toHaveLength(1)
  await world.repo('acme/other', { as: ada })
  expect(
    await refusal(world.call(stopAgent, ada, { repo: 'acme/other', id: agent.id })),
  ).toMatchObject({ status: 404 })
})
