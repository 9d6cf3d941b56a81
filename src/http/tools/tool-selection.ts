/** The tools that a connection of the tool server lists, chosen by its address or a header. */
import type { Operation } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { parseText, percentDecode, queryPairs } from '../query.ts'

export type Selection = {
  /** Names of sets; null for the default tools. */
  readonly sets: ReadonlySet<string> | null
  readonly tools: ReadonlySet<string>
  readonly exclude: ReadonlySet<string>
  /** Only reads, whatever else is chosen. */
  readonly readonly: boolean
  /** Whether find_tools and call_tool are listed. */
  readonly discover: boolean
  readonly outputs: boolean
  readonly key: string
}

/** The tools that reach all others. They belong to no set. */
const HELPERS: ReadonlySet<string> = new Set(['find_tools', 'call_tool'])

/** Names separated by commas. Throws 400 for none: the client meant to choose something. */
function parseList(name: string, text: string): string[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) throw badRequest(`${name} names nothing; leave it out or name something`)
  return words
}

/**
 * The selection of `/mcp/x/<set>/readonly`, the query and `X-MCP-Toolsets`. Throws 400 for an
 * unknown set or tool.
 */
export function selectionOf(
  path: string,
  query: string,
  header: string | null,
  operations: readonly Operation[],
): Selection {
  const sets: string[] = header === null ? [] : parseList('X-MCP-Toolsets', header)
  const tools: string[] = []
  const exclude: string[] = []
  let readonly = false
  let discover = false
  let outputs = false
  const [x, set, mode, ...more] = path.replace(/^\/mcp\/?|\/$/g, '').split('/')
  if (x !== undefined && x !== '') {
    if (x !== 'x' || !set || (mode !== undefined && mode !== 'readonly') || more.length > 0)
      throw new Refusal(
        'not_found',
        'the tool server is at /mcp, /mcp/x/<set> and /mcp/x/<set>/readonly',
      )
    sets.push(percentDecode(set))
    readonly = mode === 'readonly'
  }
  for (const [name, value] of queryPairs(query)) {
    if (name === 'toolsets') sets.push(...parseList(name, value))
    else if (name === 'tools') tools.push(...parseList(name, value))
    else if (name === 'exclude') exclude.push(...parseList(name, value))
    else if (name === 'readonly') readonly ||= parseText('boolean', value) === true
    else if (name === 'discover') discover ||= parseText('boolean', value) === true
    else if (name === 'schemas') outputs ||= value === 'output'
  }
  requireToolsets(sets, operations)
  requireTools([...tools, ...exclude], operations)
  const names = [...new Set(sets)].sort()
  return {
    sets: names.length > 0 ? new Set(names) : tools.length > 0 ? new Set() : null,
    tools: new Set(tools),
    exclude: new Set(exclude),
    readonly,
    discover: discover || names.includes('core'),
    outputs,
    key: JSON.stringify([
      names,
      [...tools].sort(),
      [...exclude].sort(),
      readonly,
      discover,
      outputs,
    ]),
  }
}

const badRequest = (message: string): Refusal => new Refusal('bad_request', message)

/** A set without tools would be a connection that can do nothing, so it is refused like a typo. */
function requireToolsets(names: readonly string[], operations: readonly Operation[]): void {
  const sets = new Set(['core', 'all'])
  for (const { tool, toolset } of operations) if (tool) sets.add(toolset)
  const unknown = names.find((name) => !sets.has(name))
  if (unknown !== undefined)
    throw badRequest(
      `there is no toolset ${JSON.stringify(unknown.slice(0, 60))} with tools here; there are ${[...sets].sort().join(', ')}`,
    )
}

/** A misspelt name must not pass silently: an excluded tool would stay in use. */
function requireTools(names: readonly string[], operations: readonly Operation[]): void {
  if (names.length === 0) return
  const tools = new Set(operations.filter(({ tool }) => tool).map(({ name }) => name))
  const unknown = names.find((name) => !tools.has(name) && !HELPERS.has(name))
  if (unknown !== undefined)
    throw badRequest(
      `there is no tool ${JSON.stringify(unknown.slice(0, 60))}; list all with ?toolsets=all`,
    )
}

/** Whether a tool only reads. */
export const onlyReads = (operation: Operation): boolean =>
  operation.routes.length > 0
    ? operation.routes.every((route) => route.startsWith('GET '))
    : !operation.access.writes

/** Whether a connection may use a tool. A set narrows only what is listed. */
export const isAllowed = (selection: Selection, operation: Operation): boolean =>
  operation.tool &&
  !selection.exclude.has(operation.name) &&
  (!selection.readonly || onlyReads(operation))

export function isListed(selection: Selection, operation: Operation): boolean {
  if (!isAllowed(selection, operation)) return false
  const { sets, tools } = selection
  if (sets === null) return operation.listed !== null
  if (tools.has(operation.name) || sets.has('all')) return true
  return (
    (sets.has('core') && operation.listed === 'core') ||
    (operation.toolset !== 'core' && sets.has(operation.toolset))
  )
}
