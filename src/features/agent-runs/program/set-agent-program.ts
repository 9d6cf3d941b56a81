import { resolve } from 'node:path'
import { siteAdmin } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Slug, Type } from '#core/schema.ts'
import { BUILT_IN_AGENT, REVIEWER } from '#features/agents/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { PRESETS, PROGRAM_KINDS } from './presets.ts'
import { requireKnownProgram } from './require-program.ts'
import { AgentProgram, Environment, Folders, ProgramCommand, programRecord } from './schema.ts'
import { findProgram, listPrograms, putProgram } from './store-programs.ts'

const MAX_PROGRAMS = 50

/** Folders with files of people, of the machine and of other programs. */
const REFUSED = ['/', '/boot', '/dev', '/etc', '/home', '/proc', '/root', '/run', '/sys', '/var']

/** Folders that a box has of its own. */
const OWN = ['/dev', '/proc', '/run', '/sys', '/tmp', '/var/tmp']
const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** Throws 422 for a folder that agents must not read. */
function requireFolders({ settings }: Hearth, folders: readonly string[]): string[] {
  return folders.map((given) => {
    const path = resolve(given)
    const data = resolve(settings.data)
    if (OWN.some((folder) => isBelow(path, folder)))
      throw invalid('folders', `${given} is hidden in the box; install the program elsewhere`)
    if (REFUSED.includes(path) || path === data || isBelow(path, data))
      throw invalid('folders', `${given} holds more than programs; name the folder of the program`)
    return path
  })
}

export const setAgentProgram = operation({
  name: 'set_agent_program',
  summary:
    'Name a program that works on issues over the Agent Client Protocol, or change it. It runs in a box that reaches the model gateway, the tools, and what the setting agents.hosts names. For site administrators, people only. Answers the program.',
  keywords: ['add opencode', 'add codex', 'add claude code', 'add an acp agent', 'own agent'],
  route: 'PUT /admin/agent-programs/{name}',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    name: Slug,
    kind: Type.Optional(OneOf(PROGRAM_KINDS, { description: 'What it is set up as; else other.' })),
    command: Type.Optional(ProgramCommand),
    folders: Type.Optional(Folders),
    env: Type.Optional(Environment),
  }),
  output: AgentProgram,
  annotations: { idempotent: true },

  handler: (
    { hearth, caller, write },
    { name, kind = 'other', folders = [], env = {}, ...input },
  ) => {
    if (name === BUILT_IN_AGENT || name === REVIEWER)
      throw invalid('name', `${name} is the name of a built-in agent; take another`)
    const command = (input.command ?? PRESETS[kind].command).trim()
    if (command === '') throw invalid('command', 'command is required for a program of kind other')
    if (/[\0-\x1f\x7f]/.test(command)) throw invalid('command', 'command is one line')
    const checked = requireFolders(hearth, folders)
    return write((tx) => {
      const before = findProgram(tx.db, name)
      if (!before && listPrograms(tx.db).length >= MAX_PROGRAMS)
        throw conflict('limit_reached', `a forge has at most ${MAX_PROGRAMS} agent programs`)
      putProgram(tx, {
        ...{ name, kind, command, updated_by: caller.id },
        folders: JSON.stringify(checked),
        env: JSON.stringify(env),
      })
      tx.audit({
        action: 'site.agent_program_set',
        target: { kind: 'site', id: name, name },
        data: {
          before: before && { kind: before.kind, command: before.command },
          after: { kind, command, folders: checked },
        },
      })
      return programRecord(requireKnownProgram(tx.db, name), true)
    })
  },
})
