/** A repository whose owner starts agents, and agents as callers with their real tokens. */
import type { AgentCaller, UserCaller } from '#core/caller.ts'
import { createAgent } from '#features/agents/create-agent.ts'
import { makePullWorld, REPO } from '../pulls/fixture.ts'

type Input = Omit<NonNullable<(typeof createAgent)['__input']>, 'repo'>

export async function makeAgentWorld() {
  const pulls = await makePullWorld()
  const { world, ada } = pulls
  const start = async (input: Partial<Input> = {}, as: UserCaller = ada) => {
    const agent = await world.call(createAgent, as, { repo: REPO, name: 'bot', ...input })
    const secret = agent.token.secret ?? ''
    return {
      agent,
      secret,
      caller: () => world.hearth.callers.byToken(secret) as AgentCaller | null,
    }
  }
  const audit = (action?: string) =>
    world.hearth.db.all<{
      action: string
      actor_id: string | null
      target_id: string
      workspace_id: string | null
      repo_id: string | null
      data: string
    }>('SELECT * FROM audit_log WHERE ?1 IS NULL OR action = ?1 ORDER BY id', action ?? null)
  return { ...pulls, start, audit }
}

export { REPO }
