/** A repository whose workspace has a scripted model, and the built-in agent at work in it. */
import { createIssue } from '#features/issues/create-issue.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { assignIssue } from '#features/pulls/lifecycle/assign-issue.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import type { Settings } from '#core/settings.ts'
import type { Asked, Reply, ToolUse } from '../../models/provider.ts'
import { makeModelWorld, MODELS } from '../integrations/fixture.ts'
import { moneySums } from '../models/money-sums.ts'

export const REPO = 'acme/site'

/** One step of a script: what the model answers. A function sees what it was sent. */
export type Step = Reply | ((asked: Asked) => Reply)

/** Calls of one tool each. */
export const use = (name: string, input: unknown): Reply => ({ calls: [{ name, input }] })
export const uses = (...calls: ToolUse[]): Reply => ({ calls })

type Options = {
  readonly checks?: string[]
  readonly settings?: Partial<Settings>
  readonly provider?: 'chat_completions' | 'messages'
  readonly maxUsd?: number
}

/** After the last step the model says only that it is done. */
export async function makeRunWorld(steps: readonly Step[], options: Options = {}) {
  const script = (asked: Asked, number: number): Reply => {
    const step = steps[number] ?? {}
    return typeof step === 'function' ? step(asked) : step
  }
  const base = await makeModelWorld(script, options.settings)
  const { world, ada, provider, connect, db } = base
  await world.repo(REPO, { as: ada, private: true })
  await world.commit(REPO, 'main', {
    'README.md': 'A site.\n',
    'src/add.js': 'export const add = (a, b) => a - b\n',
    'test.sh': 'grep -q "a + b" src/add.js\n',
  })
  const { id } = await connect({
    provider: options.provider ?? 'chat_completions',
    config: { base_url: provider.url, models: MODELS },
  })
  await world.call(setModelRoutes, ada, {
    workspace: 'acme',
    routes: [
      {
        task: 'code',
        integration: id,
        model: 'small',
        ...(options.maxUsd === undefined ? {} : { max_usd: options.maxUsd }),
      },
    ],
  })
  const issue = await world.call(createIssue, ada, {
    repo: REPO,
    title: 'add subtracts',
    body: 'It should add.',
    checks: options.checks ?? [],
  })
  await world.jobs()
  const run = () =>
    db.one<{ agent_id: string; state: string; reason: string | null; revisions: number }>(
      'SELECT agent_id, state, reason, revisions FROM agent_runs ORDER BY agent_id DESC LIMIT 1',
    )
  const assign = (input: Partial<NonNullable<(typeof assignIssue)['__input']>> = {}, as = ada) =>
    world.call(assignIssue, as, { repo: REPO, number: issue.number, ...input })
  return {
    ...base,
    issue,
    assign,
    run,
    pull: (number: number) => world.call(getPull, ada, { repo: REPO, number }),
    entries: async (number: number) =>
      (await world.call(getSession, ada, { repo: REPO, number })).items,
    /** The money in millionths: of calls, of usage entries, of the pull request and of the agent. */
    money: (number: number) => moneySums(db, number),
  }
}
