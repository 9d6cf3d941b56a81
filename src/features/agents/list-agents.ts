import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { OneOf, RepoPath, Type } from '#core/schema.ts'
import { timestamp } from '#lib/time.ts'
import { agentRecord } from './agent-record.ts'
import { Agents } from './schema.ts'
import { listAgentRows } from './store.ts'

export const listAgents = operation({
  name: 'list_agents',
  summary:
    'List the agents of a repository, newest first, those that have ended too unless state narrows: what each is doing, for whom, and what it has cost. Needs Maintain.',
  keywords: ['running agents', 'which bots', 'all agents', 'active AI'],
  route: 'GET /repos/{owner}/{name}/agents',
  toolset: 'access',
  listed: 'default',
  access: readsRepoAs('maintain', { scope: 'access:admin' }),
  input: Type.Object({
    repo: RepoPath,
    state: Type.Optional(OneOf(['running', 'ended'], { description: 'Whether its token works.' })),
    ...byPage(),
  }),
  output: Agents,
  list: 'page',

  handler: ({ hearth, db, repo }, { repo: _, state, ...paging }) => {
    const window = windowOf(paging)
    const rows = listAgentRows(db, repo.id, {
      now: timestamp(hearth.clock.now()),
      ended: state === undefined ? null : state === 'ended',
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => agentRecord(hearth, row)),
      window,
    )
  },
})
