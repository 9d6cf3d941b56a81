/** A repository with code, and a scripted model that answers questions about it. */
import type { UserCaller } from '#core/caller.ts'
import { askQuestion } from '#features/assistant/ask-question.ts'
import { getQuestion } from '#features/assistant/get-question.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import type { Reply } from '../../models/provider.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

export const REPO = 'acme/site'

export async function makeAskWorld(replies: readonly Reply[]) {
  const base = await makeModelWorld((_, number) => replies[number] ?? { text: 'Nothing more.' })
  const { world, ada, connect } = base
  await world.repo(REPO, { as: ada, private: true })
  await world.commit(REPO, 'main', {
    'src/heat.ts': 'export const warm = 1\nexport const hot = 2\n',
    'secret.bin': '\u0000\u0001',
  })
  await world.call(createIssue, ada, { repo: REPO, title: 'Too hot' })
  await world.repo('acme/other', { as: ada, private: true })
  await world.commit('acme/other', 'main', { 'hidden.ts': 'hidden\n' })
  const route = async () => {
    const { id } = await connect()
    await world.call(setModelRoutes, ada, {
      workspace: 'acme',
      routes: [{ task: 'assistant', integration: id, model: 'small' }],
    })
  }
  const ask = async (question = 'Where is the heat?', as: UserCaller = ada) => {
    const asked = await world.call(askQuestion, as, { repo: REPO, question })
    await world.jobs()
    return world.call(getQuestion, as, { repo: REPO, question: asked.id })
  }
  return { ...base, route, ask }
}
