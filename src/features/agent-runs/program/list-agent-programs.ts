import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { missingScope } from '#core/scopes.ts'
import { AgentPrograms, programRecord } from './schema.ts'
import { listPrograms } from './store-programs.ts'

export const listAgentPrograms = operation({
  name: 'list_agent_programs',
  summary:
    'List the agent programs of this forge that assign_issue takes as program, by name. Only site administrators see commands, folders and variables.',
  keywords: ['opencode', 'codex', 'claude code', 'gemini', 'qwen', 'acp', 'bring your own agent'],
  route: 'GET /agent-programs',
  toolset: 'access',
  access: signedIn(),
  input: Type.Object({}),
  output: AgentPrograms,

  handler: ({ db, caller }) => {
    const isAdmin =
      caller.kind === 'user' &&
      caller.site_admin &&
      missingScope(caller.token?.scopes ?? null, 'site:admin') === null
    return { items: listPrograms(db).map((row) => programRecord(row, isAdmin)), next: null }
  },
})
