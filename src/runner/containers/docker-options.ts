/** Options of authors that podman and docker read differently, for docker. */
import { parseJsonOrNone } from '#lib/parse-json.ts'
import type { NewContainer } from './engine.ts'

/** How often a service is asked whether it is ready, unless its author says. Docker's own is 30 s. */
const HEALTH_INTERVAL = ['--health-interval', '2s']

/** Options of the client that stand alone; all others have a value. */
const ALONE = new Set(['--init', '--read-only', '--no-healthcheck'])

export type OwnOptions = {
  readonly options: readonly string[]
  /** The container of its network has it. */
  readonly hostname: string | null
  readonly entrypoint: string | null
  /** Of an entrypoint that is a list; podman takes those. */
  readonly args: readonly string[]
}

/** The words of an entrypoint, which may be a list in JSON. */
function wordsOf(entrypoint: string): readonly string[] {
  const list = entrypoint.startsWith('[') ? parseJsonOrNone(Buffer.from(entrypoint)) : null
  return Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === 'string')
    ? (list as string[])
    : [entrypoint]
}

export function ownOptions(
  container: Pick<NewContainer, 'options' | 'entrypoint' | 'place'>,
): OwnOptions {
  const options: string[] = []
  // Nobody asks whether one that works for the job is ready.
  let isChecked = container.place === null
  let hostname: string | null = null
  let words: readonly string[] = []
  for (let at = 0; at < container.options.length; at++) {
    const name = container.options[at] ?? ''
    if (ALONE.has(name)) {
      options.push(name)
      // The client takes this one beside no other option for health.
      isChecked &&= name !== '--no-healthcheck'
      continue
    }
    const value = container.options[++at] ?? ''
    if (name === '--hostname' || name === '-h') hostname = value
    else if (name === '--entrypoint') words = wordsOf(value)
    else options.push(name, value)
  }
  const [first = null, ...args] = container.entrypoint === null ? words : []
  return {
    options: [...(isChecked ? HEALTH_INTERVAL : []), ...options],
    hostname,
    entrypoint: container.entrypoint ?? first,
    args,
  }
}
