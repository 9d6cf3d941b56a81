/** A forge with a workspace whose integrations may reach this machine. */
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { modelServer, type Script } from '../../models/provider.ts'
import { makeWorld } from '../../world.ts'

export const MODELS = [
  { id: 'small', usd_per_million_input: 1, usd_per_million_output: 4, max_output_tokens: 4096 },
  { id: 'large', usd_per_million_input: 10, usd_per_million_output: 40 },
]

export async function makeModelWorld(script?: Script, change: Partial<Settings> = {}) {
  const provider = modelServer(script)
  const world = await makeWorld({ integrations_allow: ['http://127.0.0.1'], ...change })
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  type New = Partial<NonNullable<(typeof connectIntegration)['__input']>>
  const connect = (input: New = {}, as: UserCaller = ada) =>
    world.call(connectIntegration, as, {
      workspace: 'acme',
      provider: 'chat_completions',
      config: { base_url: provider.url, models: MODELS },
      secret: 'sk-test',
      ...input,
    })
  return { world, ada, bob, provider, connect, db: world.hearth.db }
}
