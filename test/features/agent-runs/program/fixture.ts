/** A repository whose issues a small agent program solves, as its scripted model says. */
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll } from 'bun:test'
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { makeRunWorld, type Step } from '../fixture.ts'

/** Where programs are installed, for a checkout in a temporary folder, which the box hides. */
const INSTALLED = '/opt/hearth-test-agent'
const isHidden = /^\/(?:dev|run|tmp|var\/tmp)\//.test(import.meta.dir)

/** The file, or a copy that the box can see. */
function visible(file: string): string {
  if (!isHidden) return file
  mkdirSync(INSTALLED, { recursive: true })
  const installed = join(INSTALLED, basename(file))
  // Tests of several processes may do this at once.
  const copy = `${installed}.${process.pid}`
  copyFileSync(file, copy)
  renameSync(copy, installed)
  return installed
}

const program = visible(join(import.meta.dir, 'agent.cjs'))
export const FOLDER = dirname(program)
/** The box has the executable of the forge at this path. */
export const COMMAND = `BUN_BE_BUN=1 /run/hearth ${program}`

/** One action of the program, or several. */
export type Action = Readonly<Record<string, unknown>>

/** What the model answers so that the program does these. */
export const does = (...actions: Action[]): Step => ({ text: JSON.stringify(actions) })

export async function makeProgramWorld(
  steps: readonly Step[],
  options: Parameters<typeof makeRunWorld>[1] = {},
) {
  const base = await makeRunWorld(steps, options)
  const { world } = base
  // The server has the tools that are at the door.
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 2_000 })
  server.open(world.hearth)
  afterAll(() => server.stop())
  const admin = await world.user('root', { site_admin: true })
  const set = (input: Partial<NonNullable<(typeof setAgentProgram)['__input']>> = {}) =>
    world.call(setAgentProgram, admin, {
      name: 'robot',
      command: COMMAND,
      folders: [FOLDER],
      ...input,
    })
  await set()
  return {
    ...base,
    admin,
    set,
    serverUrl: server.url,
    assign: () => base.assign({ program: 'robot' }),
  }
}
