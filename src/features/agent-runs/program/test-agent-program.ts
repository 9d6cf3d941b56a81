import { mkdir } from 'node:fs/promises'
import { siteAdmin } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { Slug, Type } from '#core/schema.ts'
import { service } from '#core/service.ts'
import { runnerOf } from '#features/checks/index.ts'
import { typeId } from '#core/ids.ts'
import { conflict } from '#lib/errors.ts'
import { MINUTE } from '#lib/time.ts'
import { describeFault, versionOf, withProgram } from './box.ts'
import { methodNotFound, ProgramFault } from './connection.ts'
import { requireKnownProgram } from './require-program.ts'
import { AgentProgram, programRecord } from './schema.ts'
import { findProgram, setProgramTested, type ProgramRow } from './store-programs.ts'
import { programFolder } from './worktree.ts'

const MAX_TEST_MS = MINUTE
/** Tests at one time. */
const MAX_TESTS = 2
const running = service('tests of agent programs', () => ({ count: 0 }))

/** Starts the program in a box like that of a run, whose door leads nowhere, and asks its name. */
async function tryProgram(
  hearth: Hearth,
  program: ProgramRow,
): Promise<{ version: string | null; fault: string | null }> {
  const runner = runnerOf(hearth)
  const parent = programFolder(hearth)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  const id = `trial-${typeId('agt', hearth.clock.now())}`
  const place = await runner.openProgramDirectory(parent, id, { isKept: false })
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new ProgramFault('it did not answer in a minute')),
    MAX_TEST_MS,
  )
  try {
    const about = await withProgram(
      {
        ...{ hearth, program, place, name: 'trial', task: 'code', timeoutMs: 2 * MAX_TEST_MS },
        caller: () => null,
        hosts: [],
        onHost: () => {},
        client: {
          request: (method) => Promise.reject(methodNotFound(method)),
          notified: () => {},
        },
        signal: late.signal,
      },
      (box) => Promise.resolve(box.about),
    )
    return { version: versionOf(about) || program.name, fault: null }
  } catch (error) {
    const fault = describeFault(error)
    if (fault === null) throw error
    return { version: null, fault }
  } finally {
    clearTimeout(timer)
    await runner.removeDirectory(place)
  }
}

export const testAgentProgram = operation({
  name: 'test_agent_program',
  summary:
    'Start an agent program in its box and see whether it speaks the Agent Client Protocol. For site administrators, people only. Answers the program with its version, or with what went wrong.',
  keywords: ['is the agent program installed', 'version of opencode', 'try an agent program'],
  route: 'POST /admin/agent-programs/{name}/test',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ name: Slug }),
  output: AgentProgram,
  annotations: { idempotent: true },

  handler: async ({ hearth, db, write }, { name }) => {
    const program = requireKnownProgram(db, name)
    const tests = running(hearth)
    if (tests.count >= MAX_TESTS)
      throw conflict('in_progress', `${MAX_TESTS} programs are being tested; try again in a minute`)
    tests.count++
    try {
      const result = await tryProgram(hearth, program)
      return await write((tx) => {
        // It may have been changed meanwhile.
        if (findProgram(tx.db, name)?.updated_at === program.updated_at)
          setProgramTested(tx, name, result)
        return programRecord(requireKnownProgram(tx.db, name), true)
      })
    } finally {
      tests.count--
    }
  },
})
