/** How long a program may take. */
import { service } from '#core/service.ts'
import { HOUR, MINUTE } from '#lib/time.ts'

export type ProgramLimits = {
  /** One turn, from the start of the program to its end. */
  turnMs: number
  /** Without a message of the program. A command of it may run this long. */
  silenceMs: number
  /** How long a program is held while a person decides. */
  askMs: number
}

export const programLimits = service(
  'limits of agent programs',
  (): ProgramLimits => ({ turnMs: 2 * HOUR, silenceMs: 20 * MINUTE, askMs: 15 * MINUTE }),
)
