import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { agentRecord } from './agent-record.ts'
import { Agent } from './schema.ts'
import { REVIEWER } from './start-built-in-agent.ts'
import { listAgentsOfPull } from './store.ts'

/** For the page of a session. */
export const getPullAgent = operation({
  name: 'get_pull_agent',
  summary:
    'The agent that works on a pull request: one that still runs before one that has ended, else the newest. Null without one. Needs Write.',
  route: null,
  tool: false,
  access: readsRepoAs('write', { scope: 'pulls:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: Nullable(Agent),

  handler: ({ hearth, db, repo }, { number }) => {
    const rows = listAgentsOfPull(db, repo.id, number).filter(({ name }) => name !== REVIEWER)
    const row = rows.find(({ ended_at }) => ended_at === null) ?? rows[0]
    return row ? agentRecord(hearth, row) : null
  },
})
