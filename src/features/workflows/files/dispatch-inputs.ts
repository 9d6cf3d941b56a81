/** The inputs of a run that is started by hand, checked against what the file declares. */
import type { InputDefinition, JsonObject } from '#actions'
import { conflict, invalid } from '#lib/errors.ts'
import type { ReadFile } from './workflow-files.ts'

const MAX_INPUTS = 25
const MAX_INPUT_CHARS = 65_536

type Values = {
  /** With the types that the file declares, for the context `inputs`. */
  readonly typed: JsonObject
  /** As text, for the event. */
  readonly texts: Readonly<Record<string, string>>
}

/** Throws 409 for a file that cannot be started by hand, and 422 for wrong inputs. */
export function dispatchInputs(file: ReadFile, given: Readonly<Record<string, unknown>>): Values {
  const trigger = file.workflow?.on.workflow_dispatch
  if (!trigger)
    throw conflict('not_ready', `${file.path} has no workflow_dispatch on this branch or tag`)
  if (Object.keys(given).length > MAX_INPUTS)
    throw invalid('inputs', `a workflow has at most ${MAX_INPUTS} inputs`)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(trigger.inputs, name))
  if (unknown !== undefined)
    throw invalid(`inputs.${unknown}`, `${file.path} has no input ${unknown}`)
  const values = Object.entries(trigger.inputs).map(
    ([name, definition]) =>
      [
        name,
        readInput(name, definition, Object.hasOwn(given, name) ? given[name] : undefined),
      ] as const,
  )
  // `fromEntries` also takes an input called __proto__, which an assignment would lose.
  return {
    typed: Object.fromEntries(values),
    texts: Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
  }
}

function readInput(
  name: string,
  { type, required, default: fallback, options }: InputDefinition,
  given: unknown,
): string | number | boolean {
  const field = `inputs.${name}`
  const value = given ?? fallback
  if (value === null || value === undefined || value === '') {
    if (required) throw invalid(field, `${name} is required`)
    return type === 'boolean' ? false : type === 'number' ? 0 : ''
  }
  if (typeof value === 'object')
    throw invalid(field, `${name} must be text, a number, true or false`)
  const text = String(value)
  if (text.length > MAX_INPUT_CHARS) throw invalid(field, `${name} is too long`)
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw invalid(field, `${name} must be true or false`)
    return text === 'true'
  }
  if (type === 'number') {
    if (!Number.isFinite(Number(text))) throw invalid(field, `${name} must be a number`)
    return Number(text)
  }
  if (type === 'choice' && !options.includes(text))
    throw invalid(field, `${name} must be one of ${options.join(', ')}`)
  return text
}
