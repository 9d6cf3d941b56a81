import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { timestamp } from '#lib/time.ts'
import { agentRecord } from './agent-record.ts'
import { Agents } from './schema.ts'
import { listAgentRows } from './store.ts'

export const listAgents = operation({
  name: 'list_agents',
  summary:
    'List agents of a repository, newest first, ended ones too: what each does, for whom, at what cost. Needs Maintain.',
  keywords: ['running agents', 'which bots', 'all agents', 'active AI'],
  route: 'GET /repos/{owner}/{name}/agents',
  toolset: 'access',
  listed: 'default',
  access: readsRepoAs('maintain', { scope: 'access:admin' }),
  input: Type.Object({ repo: RepoPath, ended: Type.Optional(Type.Boolean()), ...byPage() }),
  output: Agents,
  list: 'page',

  handler: ({ hearth, db, repo }, { repo: _, ended = null, ...paging }) => {
    const window = windowOf(paging)
    const rows = listAgentRows(db, repo.id, {
      now: timestamp(hearth.clock.now()),
      ended,
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(
      rows.map((row) => agentRecord(hearth, row)),
      window,
    )
  },
})
