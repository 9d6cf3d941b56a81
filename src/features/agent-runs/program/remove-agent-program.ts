import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, Slug, Type } from '#core/schema.ts'
import { requireKnownProgram } from './require-program.ts'
import { removeProgram } from './store-programs.ts'

export const removeAgentProgram = operation({
  name: 'remove_agent_program',
  summary:
    'Remove an agent program. Its runs wait for a person. For site administrators, people only.',
  keywords: ['delete an agent program', 'forbid a program'],
  route: 'DELETE /admin/agent-programs/{name}',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ name: Slug }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true, idempotent: true },

  handler: ({ write }, { name }) =>
    write((tx) => {
      const { command } = requireKnownProgram(tx.db, name)
      removeProgram(tx, name)
      tx.audit({
        action: 'site.agent_program_removed',
        target: { kind: 'site', id: name, name },
        data: { before: { command } },
      })
      return null
    }),
})
