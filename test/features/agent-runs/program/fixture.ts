/** A repository whose issues a small agent program solves, as its scripted model says. */
import { setAgentProgram } from '#features/agent-runs/program/set-agent-program.ts'
import { makeRunWorld, type Step } from '../fixture.ts'

/** The runtime is in the box already; the folder of the program is named. */
export const FOLDER = import.meta.dir
export const COMMAND = `BUN_BE_BUN=1 ${process.execPath} ${FOLDER}/agent.cjs`

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
  const admin = await world.user('root', { site_admin: true })
  const set = (input: Partial<NonNullable<(typeof setAgentProgram)['__input']>> = {}) =>
    world.call(setAgentProgram, admin, {
      name: 'robot',
      command: COMMAND,
      folders: [FOLDER],
      ...input,
    })
  await set()
  return { ...base, admin, set, assign: () => base.assign({ program: 'robot' }) }
}
