/** A pull request with a session and a conversation, and a scripted model that summarizes it. */
import type { UserCaller } from '#core/caller.ts'
import { getPullSummary } from '#features/assistant/get-pull-summary.ts'
import { summarizePull } from '#features/assistant/summarize-pull.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import type { Reply } from '../../models/provider.ts'
import { makeAskWorld, REPO } from './fixture.ts'

export async function makeSummaryWorld(replies: readonly Reply[]) {
  const base = await makeAskWorld(replies)
  const { world, ada, connect } = base
  await world.commit(REPO, 'topic', { 'src/cold.ts': 'export const cold = 3\n' })
  const { pull } = await world.call(createPull, ada, {
    repo: REPO,
    title: 'Cool it',
    branch: 'topic',
  })
  const at = { repo: REPO, number: pull.number }
  const say = (text: string) =>
    world.call(appendSession, ada, { ...at, entries: [{ kind: 'message', text }] })
  await say('I chose three degrees.')
  await world.call(addComment, ada, { ...at, body: 'Why not four?' })
  const route = async (task: 'summarize' | 'default' = 'summarize') => {
    const { id } = await connect()
    await world.call(setModelRoutes, ada, {
      workspace: 'acme',
      routes: [{ task, integration: id, model: 'small' }],
    })
  }
  const read = (as: UserCaller = ada) => world.call(getPullSummary, as, at)
  const summarize = async (as: UserCaller = ada) => {
    await world.call(summarizePull, as, at)
    await world.jobs()
    return await read(as)
  }
  return { ...base, at, say, route, read, summarize }
}
